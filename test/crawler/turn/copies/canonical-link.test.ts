/** The page that a page names as its canonical one. */
import { expect, test } from 'vitest';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import type { HostLedger } from '../../../../shared/core/frontier/ledger.ts';
import type { Link } from '../../../../shared/core/frontier/message.ts';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import { CanonicalLinks } from '../../../../shared/crawler/turn/copies/canonical-link.ts';
import type { LinkIntake } from '../../../../shared/crawler/turn/links/link-intake.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { crawlOfTurn, newLedger, ORIGIN, recordOf } from '../turn-fakes.ts';

const PAGE = `${ORIGIN}/page?print=1`;
const ORIGINAL = `${ORIGIN}/page`;

interface Situation {
  readonly config?: CrawlOptions;
  readonly nameOf?: (url: string) => string;
  readonly record?: UrlRecord;
  /** The ledger's record of the other page. */
  readonly known?: Partial<UrlRecord>;
  /** The other page is not taken in: it belongs to a trap, or its template has its pages. */
  readonly isLeftOut?: boolean;
}

async function originalOf(canonical: string | undefined, situation: Situation = {}) {
  const { config, nameOf, record = recordOf(PAGE, { depth: 3 }), known, isLeftOut } = situation;
  const taken: [Link, number][] = [];
  const intake = {
    take: (link: Link, now: number) => void taken.push([link, now]),
    knows: () => !isLeftOut,
  } as unknown as LinkIntake;
  const ledger: HostLedger = await newLedger();
  if (known) ledger.addSettled(recordOf(ORIGINAL, { state: 'fetched', ...known }));
  const crawl = crawlOfTurn({ config: { obeyCanonical: true, ...config }, ...(nameOf && { nameOf }) });
  const original = await new CanonicalLinks(crawl, ledger, intake).originalOf(record, canonical, T0);
  return { original, taken };
}

const NONE = { original: undefined, taken: [] };

test('a page is a copy of another page of the crawl, which is taken in at the same depth', async () => {
  const { original, taken } = await originalOf(ORIGINAL);
  expect(original).toBe(ORIGINAL);
  expect(taken).toEqual([[expect.objectContaining({ url: ORIGINAL, depth: 3, via: PAGE }), T0]]);
  expect(taken[0]?.[0].isSeed).toBeUndefined();
  expect(taken[0]?.[0].kind).toBeUndefined();
});

test('the canonical form counts, and the name by the URL rules', async () => {
  expect((await originalOf('HTTP://A.test:80/page#part')).original).toBe(ORIGINAL);
  const nameOf = (url: string) => url.replace(/;sid=\d+/, '');
  expect((await originalOf(`${ORIGINAL};sid=7`, { nameOf })).original).toBe(ORIGINAL);
  expect(await originalOf(`${PAGE}#top`)).toEqual(NONE);
});

test.each([
  ['names none', undefined, {}],
  ['names what is no URL', 'javascript:void(0)', {}],
  ['names itself', PAGE, {}],
  ['names a page outside the scope', 'http://b.test/page', {}],
  ['names a page that is too deep', ORIGINAL, { config: { maxDepth: 2 } }],
  ['is in a crawl that does not ask', ORIGINAL, { config: { obeyCanonical: false } }],
  ['is a sitemap', ORIGINAL, { record: recordOf(PAGE, { kind: 'sitemap' }) }],
  ['is a requisite', ORIGINAL, { record: recordOf(PAGE, { kind: 'requisite' }) }],
] as const)('a page that %s is no copy', async (_, canonical, situation) => {
  expect(await originalOf(canonical, situation)).toEqual(NONE);
});

test.each(['failed', 'gone', 'redirect', 'skipped', 'deniedByRobots'] as const)(
  'what is known to be %s is no original',
  async (state) => expect(await originalOf(ORIGINAL, { known: { state } })).toEqual(NONE),
);

test('a page that is fetched or waits is an original', async () => {
  expect((await originalOf(ORIGINAL, { known: {} })).original).toBe(ORIGINAL);
  expect((await originalOf(ORIGINAL, { known: { state: 'waiting' } })).original).toBe(ORIGINAL);
});

test('whether a page is an original goes by what is known of it then', async () => {
  const ledger = await newLedger();
  const intake = { take: () => {}, knows: () => true } as unknown as LinkIntake;
  const links = new CanonicalLinks(crawlOfTurn({ config: { obeyCanonical: true } }), ledger, intake);
  expect(await links.originalOf(recordOf(PAGE), ORIGINAL, T0)).toBe(ORIGINAL);
  ledger.addSettled(recordOf(ORIGINAL, { state: 'gone' }));
  expect(await links.originalOf(recordOf(PAGE), ORIGINAL, T0)).toBeUndefined();
});

test('what is left out is no original', async () => {
  expect((await originalOf(ORIGINAL, { isLeftOut: true })).original).toBeUndefined();
});

test('a page whose original has proved to be none is not a copy again', async () => {
  const result = { fetchedAt: T0, duplicateOf: `${ORIGIN}/none` };
  expect(await originalOf(ORIGINAL, { record: recordOf(PAGE, { result }) })).toEqual(NONE);
  const again = recordOf(PAGE, { result, state: 'fetched' });
  expect((await originalOf(ORIGINAL, { record: again })).original).toBe(ORIGINAL);
});

test('what has redirected to the page is no original, also if another host knows of it', async () => {
  const other = 'http://b.test/other';
  const config = { scope: 'any' } as const;
  const led = (more: Partial<UrlRecord>) => recordOf(PAGE, { depth: 3, via: other, ...more });
  expect(await originalOf(other, { config, record: led({ redirects: 1 }) })).toEqual(NONE);
  // It has a link to the page.
  expect((await originalOf(other, { config, record: led({}) })).original).toBe(other);
  const further = led({ redirects: 1, via: 'http://b.test/further' });
  expect((await originalOf(other, { config, record: further })).original).toBe(other);
});

test('of two pages that name each other the first that was fetched is the copy, the other is the page', async () => {
  const copyOf = (duplicateOf: string) => ({ known: { result: { fetchedAt: T0, duplicateOf } } });
  expect(await originalOf(ORIGINAL, copyOf(PAGE))).toEqual(NONE);
  expect((await originalOf(ORIGINAL, copyOf(`${ORIGIN}/third`))).original).toBe(ORIGINAL);
});

test('so it is of two pages that two lanes of a turn read at the same time', async () => {
  const intake = { take: () => {}, knows: () => true } as unknown as LinkIntake;
  const ledger = await newLedger();
  const links = new CanonicalLinks(crawlOfTurn({ config: { obeyCanonical: true } }), ledger, intake);
  const originals = await Promise.all([
    links.originalOf(recordOf(PAGE), ORIGINAL, T0),
    links.originalOf(recordOf(ORIGINAL), PAGE, T0),
  ]);
  expect(originals).toEqual([ORIGINAL, undefined]);
});
