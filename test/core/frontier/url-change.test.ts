/** The changes of pages that a recrawling crawl has seen. */
import { describe, expect, test } from 'vitest';
import { changeBetween, changeId, lastChangeOf } from '../../../shared/core/frontier/url-change.ts';
import type { RecrawlState, UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { NO_HISTORY, observe, packHistory } from '../../../shared/core/recrawl/change-history.ts';
import { recordOf } from '../../crawler/turn/turn-fakes.ts';

const AT = Date.UTC(2026, 3, 5, 6, 7, 8);
const NEVER = packHistory(NO_HISTORY, 0);
const SAME = packHistory(observe(NO_HISTORY, 3, false), 0);
const ONCE = packHistory(observe(NO_HISTORY, 3, true), 0);
const recrawlOf = (fields: Partial<RecrawlState> = {}): RecrawlState => ({
  history: NEVER,
  rate: 1,
  changedAt: AT,
  misses: 0,
  capturedAt: AT,
  ...fields,
});
const recordAt = (fields: Partial<UrlRecord> = {}, recrawl: Partial<RecrawlState> = {}): UrlRecord =>
  recordOf('http://a.test/x', {
    state: 'fetched',
    result: { fetchedAt: AT, httpStatus: 200 },
    recrawl: recrawlOf(recrawl),
    ...fields,
  });

describe('the last change of a page', () => {
  test.each([
    ['fetched', NEVER, undefined, 'new'],
    ['fetched', SAME, undefined, 'new'],
    ['gone', NEVER, undefined, undefined],
    ['redirect', SAME, undefined, undefined],
    ['fetched', ONCE, undefined, 'changed'],
    ['fetched', ONCE, true, 'back'],
    ['gone', ONCE, undefined, 'gone'],
    ['gone', ONCE, true, 'gone'],
    ['redirect', ONCE, true, 'moved'],
  ] as const)('that is %s, by its history %i, back: %s, is %s', (state, history, isBack, change) => {
    expect(lastChangeOf({ state }, { history, isBack })).toBe(change);
  });
});

describe('a change between two records', () => {
  test('has all that is known of the fetch that showed it', () => {
    const result = {
      fetchedAt: AT,
      httpStatus: 200,
      contentType: 'text/html',
      digest: new Uint8Array(20),
      location: { file: 'a.warc.gz', offset: 5, length: 9 },
    };
    const before = recordAt({}, { changedAt: AT - 1 });
    expect(changeBetween(before, recordAt({ result }, { history: ONCE, changedShare: 0.25 }))).toEqual({
      id: '2026-04-05T06:07:08.000Z changed http://a.test/x',
      change: 'changed',
      url: 'http://a.test/x',
      at: '2026-04-05T06:07:08.000Z',
      changedShare: 0.25,
      httpStatus: 200,
      contentType: 'text/html',
      digest: `sha1:${'A'.repeat(32)}`,
      warcFile: 'a.warc.gz',
      warcOffset: 5,
      warcLength: 9,
      cause: undefined,
    });
  });

  test('that is no changed text has no share of it; a page that is gone has its cause in words', () => {
    const result = { fetchedAt: AT, httpStatus: 404, cause: { code: 'needsJavaScript' as const } };
    const change = changeBetween(
      undefined,
      recordAt({ state: 'gone', result }, { history: ONCE, changedShare: 0.5 }),
    );
    expect(change).toMatchObject({ change: 'gone', httpStatus: 404, changedShare: undefined });
    expect(change?.cause).toMatch(/JavaScript/);
    expect([change?.digest, change?.warcFile]).toEqual([undefined, undefined]);
  });

  test('of a page that was found is that it is new', () => {
    expect(changeBetween(undefined, recordAt())).toMatchObject({ change: 'new' });
    expect(changeBetween(recordAt({ recrawl: undefined }), recordAt())).toMatchObject({ change: 'new' });
  });

  test.each<[string, UrlRecord | undefined, UrlRecord]>([
    ['the fetch found no change', undefined, recordAt({}, { changedAt: AT - 1 })],
    ['it is known already', recordAt(), recordAt({}, { history: ONCE })],
    ['nothing is kept for a recrawl', undefined, recordAt({ recrawl: undefined })],
    ['it was never fetched', undefined, recordAt({ result: undefined })],
    ['it is no page', undefined, recordAt({ kind: 'sitemap' })],
    ['it was not there at its first fetch', undefined, recordAt({ state: 'gone' })],
  ])('is none if %s', (_why, before, after) => {
    expect(changeBetween(before, after)).toBeUndefined();
  });

  test('is of the URL that was fetched, whatever the project sent to it', () => {
    const change = changeBetween(undefined, { ...recordAt(), url: 'http://a.test/x#!POST-1' });
    expect(change?.url.startsWith('http://a.test/x')).toBe(true);
    expect(change?.id).toBe(changeId(change as never));
  });
});
