import { describe, expect, test } from 'vitest';
import type { Cause, NearDuplicateCause } from '../../../../shared/core/causes/cause.ts';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import type { DocumentFacts } from '../../../../shared/core/parser/document.ts';
import {
  PageReader,
  type PageReaderOptions,
  type PageReading,
  withDroppedLinks,
} from '../../../../shared/crawler/turn/page/page-reader.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { crawlOfTurn, ORIGIN, PLAIN_FACTS, recordOf } from '../turn-fakes.ts';

const PAGE = `${ORIGIN}/page`;
const TO = { code: 'redirect', to: `${ORIGIN}/next` } as const;
const BLANK = {
  ...PLAIN_FACTS,
  signs: { hasScripts: true, textChars: 0, hasPasswordField: false },
} as unknown as DocumentFacts;

interface Situation {
  readonly config?: CrawlOptions;
  readonly softTarget?: string;
  readonly original?: string;
  readonly hookError?: string;
  readonly otherLanguage?: string;
  readonly copy?: NearDuplicateCause;
  readonly isStopped?: boolean;
  readonly missing?: Cause;
  readonly leadsNowhere?: boolean;
  readonly truncated?: 'length' | 'disconnect';
}

async function read(
  record: UrlRecord,
  page: PageReading,
  situation: Situation = {},
  request: { method: string } | undefined = undefined,
) {
  const calls: unknown[] = [];
  const { truncated } = situation;
  const response = truncated === undefined ? RESPONSE : { ...RESPONSE, truncated };
  const options = {
    crawl: crawlOfTurn({ config: situation.config }),
    counters: { count: (...args: unknown[]) => void calls.push(['count', ...args]) },
    soft404: {
      causeOf: () => situation.missing,
      isNotFound: (of: UrlRecord, to: string) =>
        of === record && to === TO.to && situation.leadsNowhere === true,
    },
    redirects: {
      followLocation: async (...args: unknown[]) => {
        calls.push(['location', ...args]);
        return TO;
      },
      softTarget(of: UrlRecord, facts: DocumentFacts) {
        expect([of, facts]).toEqual([record, page.facts]);
        return situation.softTarget;
      },
      follow: async (...args: unknown[]) => {
        calls.push(['follow', ...args]);
        return TO;
      },
    },
    canonicalLinks: {
      async originalOf(of: UrlRecord, canonical: string | undefined, now: number) {
        expect([of, now]).toEqual([record, T0]);
        return typeof canonical === 'string' ? situation.original : undefined;
      },
    },
    nearDuplicates: { causeOf: () => situation.copy },
    hooks: {
      async otherLanguage(of: UrlRecord, given: { response: unknown; facts: DocumentFacts }) {
        expect([of, given.response]).toEqual([record, response]);
        expect(given.facts).toBe(page.facts);
        return situation.otherLanguage;
      },
      async callForPage(
        of: UrlRecord,
        given: { facts: DocumentFacts; forItems: boolean; duplicateOf?: string },
      ) {
        expect(of).toBe(record);
        expect(given).toMatchObject({ response, facts: { type: 'html' }, request });
        calls.push([
          'hooks',
          given.forItems,
          ...(given.duplicateOf === undefined ? [] : [given.duplicateOf]),
        ]);
        if (situation.isStopped) return undefined;
        return { facts: { ...given.facts, title: 'by the hook' }, error: situation.hookError };
      },
    },
  } as unknown as PageReaderOptions;
  const reader = new PageReader({ now: () => T0 }, options);
  const reading = await reader.read({ record, response: response as never, request }, page);
  return { reading, calls };
}
const RESPONSE = { httpStatus: 200 };
const LOCATION = { file: 'a.warc.gz', offset: 0, length: 1 };
const fetched = (facts: Partial<DocumentFacts> = {}): PageReading => ({
  state: 'fetched',
  facts: { ...PLAIN_FACTS, ...facts } as DocumentFacts,
});

test('a redirect is followed by its Location, and no hook is called', async () => {
  const record = recordOf(PAGE);
  const { reading, calls } = await read(record, { state: 'redirect', facts: PLAIN_FACTS });
  expect(reading).toEqual({ state: 'redirect', facts: PLAIN_FACTS, cause: TO });
  expect(calls).toEqual([['location', record, { response: RESPONSE, request: undefined }, T0]]);
  const request = { method: 'POST' };
  const own = await read(record, { state: 'redirect' }, {}, request);
  expect(own.calls).toEqual([['location', record, { response: RESPONSE, request }, T0]]);
});

test('a redirect to where the host sends those who ask for what is not there is marked and counted', async () => {
  const { reading, calls } = await read(recordOf(PAGE), { state: 'redirect' }, { leadsNowhere: true });
  expect(reading).toEqual({ state: 'redirect', cause: { ...TO, isNotFound: true } });
  expect(calls.at(-1)).toEqual(['count', 'hints', 'softNotFound']);
});

test('a page as the one of the probe is gone: no hook is called, its links are not followed, it is no redirect', async () => {
  const missing: Cause = { code: 'softNotFound', probe: `${ORIGIN}/qw` };
  const situation = { missing, softTarget: `${ORIGIN}/next`, otherLanguage: 'fr' };
  expect(await read(recordOf(PAGE), fetched(), situation)).toEqual({
    reading: { state: 'gone', cause: missing },
    calls: [['count', 'hints', 'softNotFound']],
  });
  // A request of the project is never taken for one of those.
  expect((await read(recordOf(PAGE), fetched(), { missing }, { method: 'POST' })).reading?.state).toBe(
    'fetched',
  );
});

test('a page that is too large to be read to its end is counted', async () => {
  const counted = async (record: UrlRecord, page: PageReading, situation: Situation = {}) => {
    const { calls } = await read(record, page, { config: { maxDecodedBytes: 1000 }, ...situation });
    return calls.some((call) => String(call) === 'count,hints,cutPage');
  };
  const page = recordOf(PAGE);
  expect(await counted(page, fetched({ decodedBytes: 999 }))).toBe(false);
  expect(await counted(page, fetched({ decodedBytes: 1000 }))).toBe(true);
  expect(await counted(page, fetched(), { truncated: 'length' })).toBe(true);
  expect(await counted(page, fetched(), { truncated: 'disconnect' })).toBe(false);
  expect(await counted(recordOf(PAGE, { kind: 'requisite' }), fetched(), { truncated: 'length' })).toBe(
    false,
  );
  const again = recordOf(PAGE, { result: { fetchedAt: T0, httpStatus: 200, location: LOCATION } });
  expect(await counted(again, fetched(), { truncated: 'length' })).toBe(false);
  const gone: PageReading = { ...fetched(), state: 'gone' };
  expect(await counted(page, gone, { truncated: 'length' })).toBe(false);
});

test('a response without a document, and a sitemap, are what their status says', async () => {
  const gone: PageReading = { state: 'gone', cause: { code: 'httpStatus', httpStatus: 404 } };
  expect(await read(recordOf(PAGE), gone)).toEqual({ reading: { ...gone, facts: undefined }, calls: [] });
  const map = recordOf(PAGE, { kind: 'sitemap' });
  const broken = await read(map, fetched({ fault: 'no XML' }));
  expect(broken).toMatchObject({
    reading: { state: 'fetched', cause: { code: 'badDocument', detail: 'no XML' } },
    calls: [],
  });
  expect((await read(map, fetched())).reading).toEqual({
    state: 'fetched',
    facts: PLAIN_FACTS,
    cause: undefined,
  });
  const long = await read(map, fetched({ fault: 'x'.repeat(3000) }));
  expect(long.reading?.cause).toEqual({ code: 'badDocument', detail: `${'x'.repeat(2000)}...` });
  expect((await read(map, { ...gone, facts: PLAIN_FACTS })).reading).toMatchObject({
    state: 'gone',
    cause: gone.cause,
  });
});

test('a meta refresh is a redirect by the page’s markup', async () => {
  const record = recordOf(PAGE);
  const { reading, calls } = await read(record, fetched(), { softTarget: `${ORIGIN}/next` });
  expect(reading).toMatchObject({ state: 'redirect', facts: PLAIN_FACTS, cause: { ...TO, isSoft: true } });
  expect(calls).toEqual([['follow', record, `${ORIGIN}/next`, T0]]);
});

test('a page has the results of the hooks; their messages are reported', async () => {
  const { reading, calls } = await read(recordOf(PAGE), fetched(), { hookError: 'it threw' });
  expect(reading).toMatchObject({
    state: 'fetched',
    facts: { title: 'by the hook' },
    cause: { code: 'hookFailed', detail: 'it threw' },
    duplicateOf: undefined,
    hint: undefined,
  });
  expect(calls).toEqual([['hooks', true]]);
  expect((await read(recordOf(PAGE), fetched())).reading?.cause).toBeUndefined();
  const long = await read(recordOf(PAGE), fetched(), { hookError: 'x'.repeat(3000) });
  expect(long.reading?.cause).toEqual({ code: 'hookFailed', detail: `${'x'.repeat(2000)}...` });
});

test('a worker that is stopped in a hook gives no reading, and counts nothing', async () => {
  const { reading, calls } = await read(
    recordOf(PAGE),
    { state: 'fetched', facts: BLANK },
    { isStopped: true },
  );
  expect(reading).toBeUndefined();
  expect(calls).toEqual([['hooks', true]]);
});

test('a copy of another page is for nobody’s items, and its cause is the other page', async () => {
  const page = fetched({ canonical: `${ORIGIN}/original` });
  const situation = { original: `${ORIGIN}/original`, hookError: 'it threw' };
  const { reading, calls } = await read(recordOf(PAGE), page, situation);
  expect(reading).toMatchObject({ duplicateOf: `${ORIGIN}/original`, cause: undefined });
  expect(calls).toEqual([['hooks', false]]);
  // The request has what the project gave it.
  const own = await read(recordOf(PAGE), page, { original: `${ORIGIN}/original` }, { method: 'POST' });
  expect(own.reading).toMatchObject({ duplicateOf: undefined });
  expect(own.calls).toEqual([['hooks', true]]);
});

test('a page that is for no index has no items, if that is obeyed', async () => {
  const hidden = fetched({ robots: { noindex: true, nofollow: false } as DocumentFacts['robots'] });
  const obeyed = await read(recordOf(PAGE), hidden, { config: { obeyNoindex: true }, hookError: 'it threw' });
  expect(obeyed).toMatchObject({
    reading: { state: 'fetched', cause: { code: 'noindex' } },
    calls: [
      ['hooks', false],
      ['count', 'hints', 'noindex'],
    ],
  });
  const location = { file: 'a.warc.gz', offset: 0, length: 9 };
  const again = recordOf(PAGE, { state: 'fetched', result: { fetchedAt: 1, location } });
  expect((await read(again, hidden, { config: { obeyNoindex: true } })).calls, 'it counts once').toEqual([
    ['hooks', false],
  ]);
  const ignored = await read(recordOf(PAGE), hidden, { config: { obeyNoindex: false } });
  expect(ignored).toMatchObject({ reading: { cause: undefined }, calls: [['hooks', true]] });
});

test('a page that forbids the use of the crawl calls no hook, and is counted', async () => {
  const usage = [{ signal: 'content-usage', source: 'header', value: 'search=y, train-ai=n' }] as const;
  const page = fetched({ usage });
  expect(await read(recordOf(PAGE), page, { config: { purpose: 'train-ai' } })).toMatchObject({
    reading: { state: 'fetched', cause: { code: 'usageForbidden', use: 'train-ai' } },
    calls: [['count', 'hints', 'withheld']],
  });
  for (const config of [{ purpose: 'search' }, { purpose: 'archive' }, {}] as const)
    expect((await read(recordOf(PAGE), page, { config })).calls).toEqual([['hooks', true]]);
});

describe('a page whose text is nearly the same as that of another one', () => {
  const copy: NearDuplicateCause = { code: 'nearDuplicate', of: `${ORIGIN}/first`, similarity: 0.93 };
  const counted = ['count', 'hints', 'nearDuplicate'];

  test('is marked: hooks know the other one, and other causes stand beside it', async () => {
    const marked = await read(recordOf(PAGE), fetched(), { copy });
    expect(marked.reading).toMatchObject({ state: 'fetched', cause: copy, duplicateOf: undefined });
    expect(marked.calls).toEqual([['hooks', true, copy.of], counted]);
    // A request of the project is never taken for one.
    const own = await read(recordOf(PAGE), fetched(), { copy }, { method: 'POST' });
    expect([own.reading?.cause, own.calls]).toEqual([undefined, [['hooks', true]]]);
    const failed = await read(recordOf(PAGE), fetched(), { copy, hookError: 'no' });
    expect(failed.reading?.cause).toEqual({ ...copy, besides: { code: 'hookFailed', detail: 'no' } });
  });

  test('is skipped: no hook is called, also none for links', async () => {
    const skipped = { ...copy, isSkipped: true } as const;
    const page = fetched();
    expect(await read(recordOf(PAGE), page, { copy: skipped })).toEqual({
      reading: { state: 'fetched', facts: page.facts, cause: skipped },
      calls: [counted],
    });
  });

  test('is what it is if the worker is being stopped, or if it names a canonical page', async () => {
    expect((await read(recordOf(PAGE), fetched(), { copy, isStopped: true })).calls).not.toContainEqual(
      counted,
    );
    const named = fetched({ canonical: `${ORIGIN}/original` });
    const other = await read(recordOf(PAGE), named, { copy, original: `${ORIGIN}/original` });
    expect(other.reading).toMatchObject({ duplicateOf: `${ORIGIN}/original`, cause: undefined });
  });
});

test('a page in another language calls no hook, and is counted; its links are followed', async () => {
  const situation = { otherLanguage: 'fr', original: `${ORIGIN}/original` };
  const page = fetched();
  expect(await read(recordOf(PAGE), page, situation)).toEqual({
    reading: { state: 'fetched', facts: page.facts, cause: { code: 'otherLanguage', language: 'fr' } },
    calls: [['count', 'hints', 'otherLanguage']],
  });
  // Copies and parts of pages have no items anyway.
  const copy = await read(recordOf(PAGE), fetched({ canonical: `${ORIGIN}/original` }), situation);
  expect(copy.reading).toMatchObject({ duplicateOf: `${ORIGIN}/original`, cause: undefined });
  const image = await read(recordOf(PAGE, { kind: 'requisite' }), page, situation);
  expect(image.calls).toEqual([['hooks', false]]);
});

test('a part of a page has no items', async () => {
  expect((await read(recordOf(PAGE, { kind: 'requisite' }), fetched())).calls).toEqual([['hooks', false]]);
});

test('a page that needs JavaScript is marked and counted; one that was not fetched is not', async () => {
  const blank = await read(recordOf(PAGE, { depth: 0 }), { state: 'fetched', facts: BLANK });
  expect(blank.reading).toMatchObject({ hint: 'javascript', cause: { code: 'needsJavaScript' } });
  expect(blank.calls).toContainEqual(['count', 'hints', 'javascript']);
  const gone = await read(recordOf(PAGE), {
    state: 'gone',
    facts: BLANK,
    cause: { code: 'httpStatus', httpStatus: 404 },
  });
  expect(gone.reading).toMatchObject({ hint: undefined, cause: { code: 'httpStatus' } });
  expect(gone.calls).toEqual([['hooks', true]]);
});

test('links that were left out come before the other causes of a fetched page', () => {
  const page = fetched({ droppedLinks: 3, dropCause: 'more than 5 links' });
  const dropped = { code: 'linksDropped', links: 3, detail: 'more than 5 links' };
  expect(withDroppedLinks(page)).toEqual({ ...page, cause: dropped });
  expect(withDroppedLinks({ ...page, cause: { code: 'noindex' } }).cause).toEqual({
    ...dropped,
    besides: { code: 'noindex' },
  });
  expect(withDroppedLinks({ ...page, state: 'gone' }).cause).toBeUndefined();
  expect(withDroppedLinks(page).cause).not.toHaveProperty('besides');
  expect(withDroppedLinks(fetched())).not.toHaveProperty('cause');
  expect(withDroppedLinks({ state: 'fetched' })).toEqual({ state: 'fetched' });
  expect(withDroppedLinks(fetched({ droppedLinks: 1 })).cause).toMatchObject({
    detail: 'too long to be URLs',
  });
});
