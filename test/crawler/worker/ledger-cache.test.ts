import { expect, test } from 'vitest';
import type { HostLedger } from '../../../shared/core/frontier/ledger.ts';
import { createLedgerCache } from '../../../shared/crawler/worker/ledger-cache.ts';

const ledger = (approximateBytes: number) => ({ approximateBytes }) as HostLedger;

test('gives a ledger back once, to the version that it belongs to', () => {
  const cache = createLedgerCache(1000);
  const kept = ledger(10);
  cache.put('crawl', 'a.test', 4, kept);
  expect(cache.take('other', 'a.test', 4)).toBeUndefined();
  expect(cache.take('crawl', 'b.test', 4)).toBeUndefined();
  expect(cache.take('crawl', 'a.test', 4)).toBe(kept);
  // A turn has it now, and changes it.
  expect(cache.take('crawl', 'a.test', 4)).toBeUndefined();
});

test('forgets a ledger of another version: it is of no use any more', () => {
  const cache = createLedgerCache(1000);
  cache.put('crawl', 'a.test', 4, ledger(10));
  expect(cache.take('crawl', 'a.test', 5)).toBeUndefined();
  expect(cache.take('crawl', 'a.test', 4)).toBeUndefined();
});

test('keeps as many bytes as it may, those last used', () => {
  const cache = createLedgerCache(100);
  for (const [i, host] of ['a', 'b', 'c'].entries()) cache.put('crawl', host, i, ledger(40));
  expect(cache.take('crawl', 'a', 0)).toBeUndefined();
  expect(cache.take('crawl', 'b', 1)).toBeDefined();
  // Exactly all of it: c and d.
  cache.put('crawl', 'd', 3, ledger(60));
  expect(cache.take('crawl', 'c', 2)).toBeDefined();
  expect(cache.take('crawl', 'd', 3)).toBeDefined();
});

test('counts a ledger that is put again by its new size alone, as the last used', () => {
  const cache = createLedgerCache(100);
  cache.put('crawl', 'a', 1, ledger(40));
  cache.put('crawl', 'b', 1, ledger(40));
  cache.put('crawl', 'a', 2, ledger(50));
  expect(cache.take('crawl', 'b', 1)).toBeDefined();
  cache.put('crawl', 'b', 1, ledger(40));
  cache.put('crawl', 'c', 1, ledger(50));
  expect(cache.take('crawl', 'a', 2)).toBeUndefined();
  expect(cache.take('crawl', 'b', 1)).toBeDefined();
});

test('a ledger larger than all of it is not kept', () => {
  const cache = createLedgerCache(100);
  cache.put('crawl', 'a', 1, ledger(101));
  expect(cache.take('crawl', 'a', 1)).toBeUndefined();
});
