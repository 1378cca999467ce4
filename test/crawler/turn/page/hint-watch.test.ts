/** Hints that pages have changed: which count, and what they make of a page's age. */
import { describe, expect, test } from 'vitest';
import type { RecrawlState, UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import { rateCode } from '../../../../shared/core/recrawl/change-rate.ts';
import { HintWatch } from '../../../../shared/crawler/turn/page/hint-watch.ts';
import { recordOf } from '../turn-fakes.ts';

const DAY = 86_400_000;
const NOW = 1000 * DAY;
const recrawl = (fields: Partial<RecrawlState> = {}): RecrawlState => ({
  history: 1,
  rate: rateCode(0.1),
  changedAt: NOW - 9 * DAY,
  misses: 0,
  capturedAt: NOW - 9 * DAY,
  ...fields,
});
const pageOf = (fields: Partial<UrlRecord> = {}, state: Partial<RecrawlState> = {}): UrlRecord =>
  recordOf('http://a.test/x', {
    state: 'fetched',
    result: { fetchedAt: NOW - 9 * DAY, httpStatus: 200 },
    recrawl: recrawl(state),
    ...fields,
  });
const HINTED = pageOf({}, { hints: 1 });

describe('a host’s fetches', () => {
  test('are counted from its first list on, by whether there was a hint and a change', () => {
    const watch = new HintWatch(undefined);
    watch.count(HINTED, true);
    expect(watch.state()).toBeUndefined();
    watch.begin();
    expect(watch.state()).toEqual([0, 0, 0, 0]);
    for (const [page, hasChanged] of [
      [HINTED, true],
      [HINTED, false],
      [pageOf(), true],
      [pageOf(), false],
      [pageOf({}, { hints: 0 }), false],
    ] as const)
      watch.count(page, hasChanged);
    expect(watch.state()?.map(Math.round)).toEqual([1, 1, 1, 2]);
  });

  test('are not counted from none by another list, nor for what is no page', () => {
    const watch = new HintWatch([5, 1, 2, 3]);
    watch.begin();
    watch.count(pageOf({ kind: 'sitemap' }), true);
    expect(watch.state()).toEqual([5, 1, 2, 3]);
  });

  test('of a page that is new count as those without a hint', () => {
    const watch = new HintWatch([0, 0, 0, 0]);
    watch.count(pageOf({ recrawl: undefined }), true);
    expect(watch.state()).toEqual([0, 0, 1, 0]);
  });

  test('are kept in six digits', () => {
    expect(new HintWatch([1.23456789, 0.000123456789, 123456.789, 1e9 / 3]).state()).toEqual([
      1.23457, 0.000123457, 123457, 333333000,
    ]);
  });
});

describe('a hint', () => {
  const watch = new HintWatch([5, 1, 2, 3]);

  test('is noted with its time', () => {
    expect(watch.noted(pageOf(), NOW - DAY, NOW)).toEqual({ ...recrawl(), hintedAt: NOW - DAY, hints: 1 });
    expect(watch.noted(pageOf({}, { hints: 254 }), NOW - DAY, NOW)?.hints).toBe(255);
    expect(watch.noted(pageOf({}, { hints: 255 }), NOW - DAY, NOW)?.hints).toBe(255);
  });

  test.each<[string, UrlRecord, number]>([
    ['is older than the last fetch', pageOf(), NOW - 10 * DAY],
    ['is known', pageOf({}, { hintedAt: NOW - DAY }), NOW - DAY],
    ['is of the future', pageOf(), NOW + 30 * DAY],
    ['is of a page that was never fetched', pageOf({ result: undefined }), NOW - DAY],
    ['is of a page of which nothing is kept', pageOf({ recrawl: undefined }), NOW - DAY],
    ['is of no page', pageOf({ kind: 'requisite' }), NOW - DAY],
  ])('says nothing if it %s', (_why, record, at) => {
    expect(watch.noted(record, at, NOW)).toBeUndefined();
  });

  test('makes a page older: the more, the more often its host was right', () => {
    const days = (counts: [number, number, number, number] | undefined, hints: number | undefined) =>
      new HintWatch(counts).daysOf(recrawl({ hints }));
    const right = days([90, 10, 10, 90], 1);
    const wrong = days([10, 90, 10, 90], 1);
    expect(right).toBeGreaterThan(wrong);
    expect(days([90, 10, 10, 90], 2)).toBeGreaterThan(right);
    expect([days([90, 10, 10, 90], 0), days([90, 10, 10, 90], undefined), days(undefined, 3)]).toEqual([
      0, 0, 0,
    ]);
  });
});
