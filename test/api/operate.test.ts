/** Control of a crawl in a folder by another than the one who crawls. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  deleteCrawl,
  FolderInUse,
  listCrawls,
  NoCrawl,
  openCrawl,
  readWarc,
  resumeCrawl,
  startCrawl,
} from '../../api/index.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { rowOfPages, type SmallSite, startSite } from '../local-crawl/small-site.ts';
import { serveAnswers } from './small-server.ts';

const PAGES = 5;

let site: SmallSite;
let long: SmallSite;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-operate-'));
  site = await startSite(rowOfPages(PAGES), { address: '127.78.0.53' });
  long = await startSite(rowOfPages(1000), { address: '127.78.0.55' });
});
afterEach(async () => {
  await site.stop();
  await long.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** One page a second of a site that has a thousand. */
const SLOW = { ...QUICK, delayMs: 1000 } as const;

async function begunCrawl(out: string) {
  const running = await startCrawl({ ...SLOW, seeds: [`${long.url}/`], out });
  for await (const { type } of running.events()) if (type === 'page') break;
  return running;
}

async function finishedCrawl(out: string) {
  const running = await startCrawl({ ...QUICK, seeds: [`${site.url}/`], out });
  return running.done;
}

test('a crawl that another process runs is paused; the folder is free afterwards, and it can be resumed', async () => {
  const out = join(folder, 'c');
  const running = await begunCrawl(out);
  await using stored = await openCrawl(out);
  expect(await stored.pause()).toMatchObject({ state: 'paused', reason: 'by the operator' });
  expect(await running.done).toMatchObject({ state: 'paused' });
  // Repeating it changes nothing.
  expect(await stored.pause()).toMatchObject({ state: 'paused' });
  const resumed = await resumeCrawl(out);
  await resumed.stop();
  expect(await stored.summary()).toMatchObject({ state: 'stopped' });
});

test('a crawl that another process runs is stopped', async () => {
  const out = join(folder, 'c');
  const running = await begunCrawl(out);
  await using stored = await openCrawl(out);
  expect(await stored.stop()).toMatchObject({ state: 'stopped' });
  expect(await running.done).toMatchObject({ state: 'stopped' });
  expect(await stored.pause()).toMatchObject({ state: 'stopped' });
});

test('a finished crawl stays finished when it is paused or stopped', async () => {
  const out = join(folder, 'c');
  await finishedCrawl(out);
  await using stored = await openCrawl(out);
  expect(await stored.pause()).toMatchObject({ state: 'finished', pages: PAGES });
  expect(await stored.stop()).toMatchObject({ state: 'finished' });
});

test('hosts come in pages, and one in detail', async () => {
  const second = await startSite(rowOfPages(2), { address: '127.78.0.54' });
  const out = join(folder, 'c');
  const running = await startCrawl({ ...QUICK, seeds: [`${site.url}/`, `${second.url}/`], out });
  await running.done;
  await second.stop();
  await using stored = await openCrawl(out);
  const first = await stored.hosts({ limit: 1 });
  const rest = await stored.hosts({ limit: 1, cursor: first.cursor! });
  const named = [...first.hosts, ...rest.hosts].map(({ host, pages }) => [host, pages]);
  expect(named.sort()).toEqual([
    [new URL(site.url).host, PAGES],
    [new URL(second.url).host, 2],
  ]);
  expect(rest.cursor).toBeUndefined();
  expect(await stored.host(new URL(site.url).host)).toMatchObject({ pages: PAGES, waiting: 0 });
  await expect(stored.host('other.test')).rejects.toThrow('knows no host "other.test"');
  await expect(stored.hosts({ limit: 0 })).rejects.toThrow('Expected limit from 1 to 1000, got 0');
});

test('the crawls of a folder are listed, those that run and those that were interrupted', async () => {
  await finishedCrawl(join(folder, 'a'));
  const running = await begunCrawl(join(folder, 'b'));
  writeFileSync(join(folder, 'note.txt'), 'no crawl');
  const states = async () =>
    (await listCrawls(folder)).map((entry) => [entry.folder, entry.state, entry.pages]);
  expect(await states()).toEqual([
    [join(folder, 'a'), 'finished', PAGES],
    [join(folder, 'b'), 'running', expect.any(Number)],
  ]);
  // One that cannot be read hides no other.
  mkdirSync(join(folder, 'damaged'));
  writeFileSync(join(folder, 'damaged', 'crawl.sqlite'), 'no database '.repeat(100));
  expect(await states()).toEqual([
    [join(folder, 'a'), 'finished', PAGES],
    [join(folder, 'b'), 'running', expect.any(Number)],
    [join(folder, 'damaged'), 'unreadable', 0],
  ]);
  expect((await listCrawls(folder)).at(-1)).toMatchObject({
    crawl: 'damaged',
    reason: /database is damaged/,
  });
  expect(await deleteCrawl(join(folder, 'damaged'), { archive: true })).toEqual({ left: [] });
  await expect(deleteCrawl(join(folder, 'b'))).rejects.toThrow(FolderInUse);
  await running.stop();
  expect((await listCrawls(join(folder, 'b'))).map(({ state }) => state)).toEqual(['stopped']);
  expect(await listCrawls(join(folder, 'nothing'))).toEqual([]);
});

test('a crawl that recrawls and ended as nothing was due sleeps', async () => {
  const seeds = [await serveAnswers('127.78.0.62', { '/': 'a page' })];
  const out = join(folder, 'c');
  const running = await startCrawl({
    ...QUICK,
    seeds,
    out,
    once: true,
    recrawl: 'freshness',
    recrawlEveryMs: 86_400_000,
  });
  await running.done;
  const [entry] = await listCrawls(out);
  expect(entry).toMatchObject({
    state: 'sleeping',
    reason: expect.stringMatching(/^nothing is due before 2/),
  });
});

test('a crawl is deleted with its archive and all else that it has made, and nothing else', async () => {
  const out = join(folder, 'c');
  await finishedCrawl(out);
  await using stored = await openCrawl(out);
  await stored.search('page');
  await stored.close();
  writeFileSync(join(out, 'mine.txt'), 'a note');
  // A process was killed that made them.
  for (const name of ['documents.jsonl.123', 'documents.parquet.123.part', 'outputs.json.part'])
    writeFileSync(join(out, name), '');
  expect(await deleteCrawl(out, { archive: true })).toEqual({ left: ['mine.txt'] });
  expect(readdirSync(out)).toEqual(['mine.txt']);
  await expect(deleteCrawl(out)).rejects.toThrow(NoCrawl);

  const other = join(folder, 'd');
  await finishedCrawl(other);
  await deleteCrawl(other, { archive: true });
  expect(existsSync(other)).toBe(false);
});

test('a crawl is deleted without its archive, unless that is asked for', async () => {
  const out = join(folder, 'c');
  await finishedCrawl(out);
  const { left } = await deleteCrawl(out);
  expect(left).toEqual(['archive', 'indexes']);
  const [file] = readdirSync(join(out, 'archive'));
  let responses = 0;
  for await (const { type } of readWarc(join(out, 'archive', file!))) if (type === 'response') responses++;
  expect(responses).toBeGreaterThanOrEqual(PAGES);

  // The archive may follow, as on a stack.
  await expect(deleteCrawl(out)).rejects.toThrow(NoCrawl);
  expect(await deleteCrawl(out, { archive: true })).toEqual({ left: [] });
  expect(existsSync(out)).toBe(false);
});

test('a folder that never had a crawl keeps its files, whatever their names', async () => {
  mkdirSync(join(folder, 'archive'));
  for (const name of ['items.jsonl', 'documents.jsonl', 'archive/rec-20260101-mine.warc.gz'])
    writeFileSync(join(folder, name), '{}');
  await expect(deleteCrawl(folder, { archive: true })).rejects.toThrow(NoCrawl);
  expect(readdirSync(folder).sort()).toEqual(['archive', 'documents.jsonl', 'items.jsonl']);
});

test('a crawl that runs is not deleted', async () => {
  const out = join(folder, 'c');
  const running = await begunCrawl(out);
  await expect(deleteCrawl(out)).rejects.toThrow(FolderInUse);
  expect(existsSync(join(out, 'crawl.sqlite'))).toBe(true);
  await running.stop();
});
