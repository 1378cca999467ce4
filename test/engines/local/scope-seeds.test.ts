/** Crawls whose list of seeds is too long for their record. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CrawlRecord } from '../../../shared/crawler/ports/crawl-registry.ts';
import { openDatabase } from '../../../shared/engines/local/database.ts';
import { createRegistry, type LocalCrawlRegistry } from '../../../shared/engines/local/registry.ts';

const seedsOf = (count: number) => Array.from({ length: count }, (_, n) => `https://a.test/${n}`);
const recordOf = (scopeSeeds: readonly string[]): CrawlRecord => ({
  config: { contact: 'me@example.org' },
  scopeSeeds,
  urlRulesVersion: 1,
  status: 'running',
});

let folder: string;
const databases: ReturnType<typeof openDatabase>[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-seeds-'));
});
afterEach(() => {
  for (const database of databases.splice(0)) database.close();
  rmSync(folder, { recursive: true });
});

/** Each is another process. */
function open(): LocalCrawlRegistry {
  const database = openDatabase(join(folder, 'crawl.sqlite'), 'write');
  databases.push(database);
  return createRegistry(database, () => false);
}

const rowBytes = () =>
  (databases[0]!.prepare('SELECT length(record) AS bytes FROM crawls').get() as { bytes: number }).bytes;

test.each([1, 999, 1000, 5000])('%i seeds are those that a crawl began with', async (count) => {
  const record = recordOf(seedsOf(count));
  const registry = open();
  await registry.create('news', record);
  await registry.setStatus('news', 'paused', undefined);
  for (const reader of [registry, open()])
    expect(await reader.load('news')).toEqual({ ...record, status: 'paused' });
});

test('a record that is rewritten each second has no long list', async () => {
  await open().create('news', recordOf(seedsOf(5000)));
  expect(rowBytes()).toBeLessThan(300);
});

test('seeds that another process adds are seen', async () => {
  const registry = open();
  await registry.create('news', recordOf(seedsOf(998)));
  for (const count of [999, 1001, 1500]) {
    await open().addScopeSeeds('news', seedsOf(count));
    expect((await registry.load('news'))?.scopeSeeds).toEqual(seedsOf(count));
  }
  await registry.addScopeSeeds('news', seedsOf(1499));
  expect((await registry.load('news'))?.scopeSeeds).toEqual(seedsOf(1500));
});

test('a change that does not get through leaves the seeds as they were', async () => {
  const registry = open();
  await registry.create('news', recordOf(seedsOf(1000)));
  databases[0]!.exec("CREATE TRIGGER no BEFORE UPDATE ON crawls BEGIN SELECT raise(ABORT, 'no'); END");
  await expect(registry.addScopeSeeds('news', seedsOf(1100))).rejects.toThrow('no');
  expect((await registry.load('news'))?.scopeSeeds).toEqual(seedsOf(1000));
});

test('a list that is gone is said', async () => {
  await open().create('news', recordOf(seedsOf(1000)));
  databases[0]!.exec("DELETE FROM sessions WHERE name LIKE 'scopeSeeds%'");
  await expect(open().load('news')).rejects.toThrow('the list of 1000 seeds of the crawl is not there');
});
