/** A URL that was fetched before: its request, and what of it stays when the answer comes. */
import { describe, expect, test } from 'vitest';
import {
  type RecrawlState,
  UNKNOWN_CAPTURE,
  type UrlRecord,
} from '../../../../shared/core/frontier/url-record.ts';
import type { Verdict } from '../../../../shared/core/frontier/verdict.ts';
import type { FetchedResponse, FetchOutcome } from '../../../../shared/core/outcome/fetch-outcome.ts';
import type { UsageStatement } from '../../../../shared/core/usage/usage-statement.ts';
import { Refetch } from '../../../../shared/crawler/turn/recrawl/refetch.ts';
import { recordOf } from '../turn-fakes.ts';

const NOW = Date.UTC(2026, 2, 1);
const URL_OF = 'http://a.test/page';
const DIGEST = new Uint8Array(20).fill(7);
const OTHER = new Uint8Array(20).fill(8);
const FIELDS = { 'If-None-Match': '"a"' };
const USAGE: UsageStatement[] = [{ signal: 'tdm-reservation', source: 'header', value: '1' }];
const FETCHED: Verdict = { state: 'fetched', isAttempt: true, isFinal: true, retryMs: 0 };
const KNOWN: RecrawlState = {
  history: 1,
  rate: 1,
  changedAt: NOW - 1000,
  misses: 0,
  capturedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  etag: '"a"',
  lastModified: 'then',
};

const pageOf = (fields: Partial<UrlRecord> = {}): UrlRecord =>
  recordOf(URL_OF, {
    state: 'fetched',
    result: { fetchedAt: NOW - 1000, httpStatus: 200, digest: DIGEST },
    recrawl: KNOWN,
    ...fields,
  });
const responseOf = (httpStatus: number, sha1: Uint8Array = DIGEST, more: object = {}): FetchedResponse =>
  ({
    status: 'response',
    httpStatus,
    headers: [],
    requestHead: Buffer.from('GET /page HTTP/1.1'),
    body: { size: 10, sha1: Buffer.from(sha1) },
    ...more,
  }) as never;

function setUp(record = pageOf(), { isNotModified = true } = {}) {
  const calls: unknown[][] = [];
  const slowly = () => new Promise((resolve) => setImmediate(resolve));
  const validators = {
    fieldsFor: (...given: unknown[]) => {
      calls.push(['fieldsFor', ...given]);
      return FIELDS;
    },
    isNotModified: () => isNotModified,
    countNotModified: () => void calls.push(['countNotModified']),
    countFull: (...given: unknown[]) => void calls.push(['countFull', ...given]),
  };
  const recrawl = {
    validators,
    changes: {
      hasChanged: (...given: unknown[]) => {
        calls.push(['hasChanged', ...given]);
        return true;
      },
    },
    afterFailure(failed: UrlRecord, at: number, verdict: Verdict) {
      calls.push(['afterFailure', at, verdict]);
      return { ...failed, attempts: 1 };
    },
    unchanged(kept: UrlRecord, at: number, response: FetchedResponse) {
      calls.push(['unchanged', at, response.httpStatus]);
      return { ...kept, dueAt: 77 };
    },
  };
  const output = {
    async archive(...given: unknown[]) {
      await slowly();
      calls.push(['archive', ...given]);
    },
    async archiveAgain(...given: unknown[]) {
      await slowly();
      calls.push(['archiveAgain', ...given]);
    },
  };
  const refetch = new Refetch({ recrawl: recrawl as never, output: output as never }, record, NOW);
  calls.length = 0;
  return { refetch, record, calls };
}
const named = (calls: readonly unknown[][]) => calls.map(([name]) => name);
const ORIGINAL = { url: URL_OF, date: '2026-01-02T03:04:05.000Z', sha1: DIGEST };

test('the request is a conditional one by the validators of the page, at this time', () => {
  const { refetch } = setUp();
  expect(refetch.fields).toEqual(FIELDS);
  const asked: unknown[] = [];
  const validators = { fieldsFor: (...given: unknown[]) => void asked.push(given) };
  const record = pageOf();
  expect(
    new Refetch({ recrawl: { validators } as never, output: {} as never }, record, NOW).fields,
  ).toBeUndefined();
  expect(asked).toEqual([[record, NOW]]);
});

describe('an answer says that the page has not changed', () => {
  test('if it does so to a conditional request', () => {
    expect(setUp().refetch.notModified(responseOf(304))).toEqual(FETCHED);
  });
  test.each<[string, ReturnType<typeof setUp>, FetchOutcome]>([
    ['to a plain request', plain(), responseOf(304)],
    ['of another content', setUp(pageOf(), { isNotModified: false }), responseOf(304)],
    ['that is none', setUp(), { status: 'failed', reason: 'timeout' } as never],
  ])('and not one %s', (_what, { refetch }, outcome) => {
    expect(refetch.notModified(outcome)).toBeUndefined();
  });
});

/** A refetch whose request is no conditional one. */
function plain(record = pageOf()) {
  const made = setUp(record);
  Object.assign(made.refetch, { fields: undefined });
  return made;
}

describe('what is known of a page stays', () => {
  test('by a 304, which is archived as a revisit of the copy, with what the site says now', async () => {
    const { refetch, record, calls } = setUp();
    const response = responseOf(304);
    const verdict = refetch.notModified(response)!;
    expect(await refetch.keep(NOW, response, verdict, USAGE)).toEqual({ ...record, dueAt: 77 });
    expect(calls).toEqual([
      ['countNotModified'],
      ['archiveAgain', record, response, ORIGINAL, USAGE],
      ['unchanged', NOW, 304],
    ]);
  });

  test('by a 304 to a page whose bytes have no digest, and then there is no revisit', async () => {
    const { refetch, calls } = setUp(pageOf({ result: { fetchedAt: NOW, httpStatus: 200 } }));
    const response = responseOf(304);
    expect(await refetch.keep(NOW, response, refetch.notModified(response)!, USAGE)).toMatchObject({
      dueAt: 77,
    });
    expect(named(calls)).toEqual(['countNotModified', 'unchanged']);
  });

  test('by the same bytes in full, whose copy may be that of another URL', async () => {
    const capturedUrl = 'http://a.test/same';
    const { refetch, calls } = setUp(pageOf({ recrawl: { ...KNOWN, capturedUrl } }));
    const response = responseOf(200);
    expect(await refetch.keep(NOW, response, { ...FETCHED }, USAGE)).toMatchObject({
      dueAt: 77,
      state: 'fetched',
    });
    expect(calls).toEqual([
      ['countFull', { ...KNOWN, capturedUrl }, response, true, false],
      ['archiveAgain', expect.anything(), response, { ...ORIGINAL, url: capturedUrl }, USAGE],
      ['unchanged', NOW, 200],
    ]);
  });

  test('by the same bytes to a plain request, which says nothing against validators', async () => {
    const { refetch, calls } = plain();
    await refetch.keep(NOW, responseOf(200), { ...FETCHED }, USAGE);
    expect(calls[0]).toEqual(['countFull', KNOWN, expect.anything(), false, false]);
  });
});

describe('an answer is read as that of a new page', () => {
  test.each<[string, Partial<UrlRecord>, FetchedResponse, Partial<Verdict>]>([
    ['if its bytes are others', {}, responseOf(200, OTHER), {}],
    [
      'if the bytes of the copy are not known',
      { result: { fetchedAt: NOW, httpStatus: 200 } },
      responseOf(200),
      {},
    ],
    ['if the page was gone before', { state: 'gone' }, responseOf(200), {}],
    ['if it is gone now', {}, responseOf(404), { state: 'gone' }],
    ['if it redirects now', {}, responseOf(301), { state: 'redirect' }],
    ['if nothing is known of its copies', { recrawl: undefined }, responseOf(200), {}],
    [
      'if it is not known when the copy was made',
      { recrawl: { ...KNOWN, capturedAt: UNKNOWN_CAPTURE } },
      responseOf(200),
      {},
    ],
    ['if it was cut off', {}, responseOf(200, DIGEST, { truncated: 'length' }), {}],
    ['if it is empty', {}, responseOf(200, DIGEST, { body: { size: 0, sha1: Buffer.from(DIGEST) } }), {}],
  ])('%s', async (_why, record, response, verdict) => {
    const { refetch, calls } = setUp(pageOf(record));
    expect(await refetch.keep(NOW, response, { ...FETCHED, ...verdict }, USAGE)).toBeUndefined();
    expect(calls).toEqual([]);
  });
});

describe('a fetch that has failed shows nothing of the page', () => {
  const failed: Verdict = { state: 'failed', isAttempt: true, isFinal: true, retryMs: 0 };
  const later: Verdict = { state: 'waiting', isAttempt: true, isFinal: false, retryMs: 5000 };

  test.each<[string, FetchedResponse | undefined, Verdict, readonly string[]]>([
    ['finally, by an answer: that is archived', responseOf(500), failed, ['archive', 'afterFailure']],
    ['finally, without one', undefined, failed, ['afterFailure']],
    ['and is to be tried again', responseOf(503), later, ['afterFailure']],
    ['and is to be tried again, without an answer', undefined, later, ['afterFailure']],
    ['in a way that looks like success', undefined, { ...FETCHED }, ['afterFailure']],
  ])('%s', async (_how, response, verdict, steps) => {
    const { refetch, record, calls } = setUp();
    const kept = await refetch.keep(NOW, response, verdict, USAGE);
    // A validator that led to a strange answer is not sent again.
    const recrawl = { ...KNOWN, etag: undefined, lastModified: undefined };
    expect(kept).toEqual({ ...record, recrawl, attempts: 1 });
    expect(named(calls)).toEqual(steps);
    expect(calls.at(-1)).toEqual(['afterFailure', NOW, verdict]);
    if (steps[0] === 'archive') expect(calls[0]).toEqual(['archive', record, response, undefined]);
  });

  test('of a page without copies has none afterwards', async () => {
    const { refetch } = setUp(pageOf({ recrawl: undefined }));
    expect(await refetch.keep(NOW, undefined, failed, USAGE)).toEqual({
      ...pageOf({ recrawl: undefined }),
      attempts: 1,
    });
  });
});

describe('a page that was read in full is evidence about the host’s validators', () => {
  const after = pageOf({ dueAt: 5 });
  const sighting = { response: responseOf(200, OTHER), textDigest: DIGEST } as never;

  test('by whether its text has changed', () => {
    const { refetch, record, calls } = setUp();
    refetch.countChange(after, sighting);
    expect(calls).toEqual([
      ['hasChanged', record, after, DIGEST, undefined],
      ['countFull', KNOWN, responseOf(200, OTHER), true, true],
    ]);
  });

  test('also by a plain request, and not if there were none', () => {
    const made = plain();
    made.refetch.countChange(after, sighting);
    expect(made.calls.at(-1)).toEqual(['countFull', KNOWN, responseOf(200, OTHER), false, true]);
    const without = setUp(pageOf({ recrawl: undefined }));
    without.refetch.countChange(after, sighting);
    expect(named(without.calls)).toEqual(['hasChanged']);
  });
});
