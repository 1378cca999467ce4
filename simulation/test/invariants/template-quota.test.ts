/** Quotas of pages for the URL templates of a host. */
import { expect, test } from 'vitest';
import { crawlFacts, LOG, makeFacts, RECORDS, request, urlRecord, violationsOf } from './made-facts.ts';

const item = (n: number) => `http://a.test/item/${n}`;
const left = (n: number) =>
  urlRecord(item(n), 'skipped', undefined, {
    attempts: 0,
    result: { fetchedAt: 0, cause: { code: 'pagesPerTemplate', template: '/item/0' } },
  });

/** `fetched`: items in the ledger; `requested`: besides, items that were requested in turns that are gone. */
const found = (
  fetched: readonly number[],
  leftOut: readonly number[],
  requested: readonly number[] = fetched,
) => {
  const records = [
    ...RECORDS,
    ...fetched.map((n) => urlRecord(item(n), 'fetched', 200)),
    ...leftOut.map(left),
  ];
  const log = [...LOG, ...requested.map((n, i) => request(item(n), 20 + 5 * i, 20.1 + 5 * i))];
  return violationsOf(
    'templateQuota',
    makeFacts({ log, crawls: [crawlFacts(records, { config: { maxPagesPerTemplate: 2 } })] }),
  );
};

test('a template with more pages than its quota is found', () => {
  expect(found([1, 2], [3])).toEqual([]);
  expect(found([1, 2, 3], [])).toContainEqual(
    expect.stringMatching(/^templateQuota: .*a\.test has 3 pages of \/item\/0, expected at most 2/),
  );
});

test('a page that is left out before its template has its pages is found', () => {
  expect(found([1], [2])).toEqual([
    expect.stringMatching(/item\/2 was left out after 1 pages of its template, expected 2/),
  ]);
});
