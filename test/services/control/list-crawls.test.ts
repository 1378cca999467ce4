import { expect, test } from 'vitest';
import type { CrawlRecord } from '../../../shared/crawler/ports/crawl-registry.ts';
import { crawlPages, listCrawls } from '../../../shared/services/control/list-crawls.ts';

/** A registry of `count` crawls, each 100th of which runs. Counts the records that are read. */
function registryOf(count: number) {
  const names = Array.from(
    { length: count },
    (_, i) => `${i % 2 ? 'news' : 'shop'}-${String(i).padStart(5, '0')}`,
  );
  const isRunning = (crawl: string) => crawl.endsWith('00');
  let loads = 0;
  const registry = {
    list: async () => [...names].reverse(),
    listRunning: async () => names.filter(isRunning),
    async load(crawl: string) {
      loads++;
      return { status: isRunning(crawl) ? 'running' : 'finished' } as CrawlRecord;
    },
    totals: async () => ({ pages: 1 }),
  };
  return { engine: { registry } as never, loads: () => loads };
}

test('crawls are listed by name, beyond the first thousand', async () => {
  const { engine } = registryOf(2500);
  const control = { list: (page?: object) => listCrawls(engine, page) };
  const sizes: number[] = [];
  const names: string[] = [];
  for await (const page of crawlPages(control)) {
    sizes.push(page.length);
    names.push(...page.map(({ crawl }) => crawl));
  }
  expect(sizes).toEqual([1000, 1000, 500]);
  expect(names).toEqual([...names].sort());
  expect(new Set(names).size).toBe(2500);
});

test('of 10,000 crawls, those of a state or of a name are found by reading no others', async () => {
  const { engine, loads } = registryOf(10_000);
  const running = await listCrawls(engine, { state: 'running' });
  expect(running.crawls).toHaveLength(100);
  expect(running.cursor).toBeUndefined();
  expect(loads()).toBe(100);
  const named = await listCrawls(engine, { prefix: 'news-0001' });
  expect(named.crawls.map(({ crawl }) => crawl)).toEqual([
    'news-00011',
    'news-00013',
    'news-00015',
    'news-00017',
    'news-00019',
  ]);
  expect(loads()).toBe(105);
  expect((await listCrawls(engine, { prefix: 'news-', state: 'running' })).crawls).toEqual([]);
});

test('a page may be short, and goes on at its cursor', async () => {
  const { engine } = registryOf(1500);
  const first = await listCrawls(engine, { state: 'finished' });
  expect(first.crawls.length).toBeLessThan(1000);
  const second = await listCrawls(engine, { state: 'finished', cursor: first.cursor });
  expect(second.cursor).toBeUndefined();
  expect(first.crawls.length + second.crawls.length).toBe(1485);
});
