/** Pages that are taken for copies. */
import { expect, test } from 'vitest';
import type { NearDuplicateCause } from '../../../shared/core/causes/cause.ts';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { crawlFacts, makeFacts, urlRecord, violationsOf } from './made-facts.ts';

const page = (url: string, fetchedAt: number, cause?: NearDuplicateCause): UrlRecord =>
  urlRecord(url, 'fetched', 200, { result: { fetchedAt, httpStatus: 200, ...(cause && { cause }) } });
const FIRST = 'http://a.test/p/1';
const SECOND = 'http://a.test/p/2';
const copyOf = (of: string): NearDuplicateCause => ({ code: 'nearDuplicate', of, similarity: 0.9 });
const found = (records: UrlRecord[], config: CrawlOptions, items: string[] = []) =>
  violationsOf('nearDuplicates', makeFacts({ crawls: [crawlFacts(records, { config, items })] }));

test('a copy of an earlier page is right, in a crawl that looks for copies', () => {
  const records = [page(FIRST, 1), page(SECOND, 2, copyOf(FIRST))];
  expect(found(records, { nearDuplicates: 'mark' }, [FIRST, SECOND])).toEqual([]);
  expect(found(records, {})).toEqual([expect.stringContaining('does not look for copies')]);
  expect(found(records, { nearDuplicates: 'skip' })).toEqual([expect.stringContaining('not treated as one')]);
});

test('a copy of a copy, of a later page, of another template or of no page is found', () => {
  const mark = { nearDuplicates: 'mark' } as const;
  const twice = [page(FIRST, 1, copyOf(SECOND)), page(SECOND, 2, copyOf(FIRST))];
  expect(found(twice, mark)).toHaveLength(2);
  expect(found([page(FIRST, 3), page(SECOND, 2, copyOf(FIRST))], mark)).toHaveLength(1);
  const other = 'http://a.test/other';
  expect(found([page(other, 1), page(SECOND, 2, copyOf(other))], mark)).toHaveLength(1);
  expect(found([page(SECOND, 2, copyOf(FIRST))], mark)).toHaveLength(1);
});

test('an item of a page that is skipped is found', () => {
  const records = [page(FIRST, 1), page(SECOND, 2, { ...copyOf(FIRST), isSkipped: true })];
  expect(found(records, { nearDuplicates: 'skip' }, [FIRST])).toEqual([]);
  expect(found(records, { nearDuplicates: 'skip' }, [SECOND])).toHaveLength(1);
});
