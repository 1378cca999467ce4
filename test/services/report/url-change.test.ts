import { expect, test } from 'vitest';
import { changeOf } from '../../../shared/services/report/url-change.ts';
import { type UrlDetail, urlDetail } from '../../../shared/services/report/url-detail.ts';
import { recordOf } from '../../crawler/turn/turn-fakes.ts';

const T = Date.parse('2026-11-01T00:00:00.000Z');
const DAY = 86_400_000;
const RECRAWL = { history: 0x010203, rate: 1, changedAt: T, misses: 0, capturedAt: T };

/** Fetches that found no change: days, and no changes. */
const UNCHANGED = 0x000200;

const page = (fields: object, recrawl: object | undefined = RECRAWL): UrlDetail =>
  urlDetail(
    recordOf('http://a.test/1', {
      state: 'fetched',
      seenAt: T - 30 * DAY,
      result: { fetchedAt: T + DAY, httpStatus: 200 },
      recrawl: recrawl && { ...RECRAWL, ...recrawl },
      ...fields,
    }),
  );

test.each<[string, UrlDetail, string | undefined]>([
  ['has changed', page({}), 'changed'],
  ['has not changed since', page({}, { changedAt: T - 1 }), undefined],
  ['was found since, and changed', page({ seenAt: T }), 'new'],
  ['was fetched once, before', page({}, { history: 0, changedAt: T - DAY }), undefined],
  ['was found before and fetched since', page({}, { history: 0 }), 'new'],
  ['was found before, fetched since, and again without a change', page({}, { history: UNCHANGED }), 'new'],
  [
    'was fetched before, and again without a change',
    page({}, { history: UNCHANGED, changedAt: T - 1 }),
    undefined,
  ],
  ['was never there, at two fetches', page({ state: 'gone' }, { history: UNCHANGED }), undefined],
  ['is gone', page({ state: 'gone' }), 'gone'],
  ['was never there', page({ state: 'gone' }, { history: 0 }), undefined],
  ['was found and lost since', page({ state: 'gone', seenAt: T }), undefined],
  ['redirects now', page({ state: 'redirect' }), 'moved'],
  ['is back', page({}, { isBack: true }), 'back'],
  ['is a part of a page', page({ kind: 'requisite' }), undefined],
  ['waits', page({ state: 'waiting', result: undefined, recrawl: undefined }), undefined],
  ['is of a crawl that fetches once', page({ seenAt: T, recrawl: undefined }), 'new'],
])('a page that %s', (_, detail, change) => {
  expect(changeOf(detail, T)?.change).toBe(change);
});

test('a change has an id that stays the same, and names the place of the response', () => {
  const change = changeOf(page({}), T);
  expect(change).toMatchObject({ url: 'http://a.test/1', at: '2026-11-01T00:00:00.000Z', httpStatus: 200 });
  expect(change?.id).toBe('2026-11-01T00:00:00.000Z changed http://a.test/1');
  expect(changeOf(page({}), T - 2 * DAY)?.id).toBe(change?.id);
});
