import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  checkWarc,
  NoCrawl,
  openCrawl,
  readCdxj,
  readItems,
  readWarc,
  type StoredCrawl,
  startCrawl,
} from '../../api/index.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { rowOfPages, type SmallSite, startSite } from '../local-crawl/small-site.ts';

let site: SmallSite;
let folder: string;
let crawl: StoredCrawl;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-api-'));
  const more = (n: number) => (n === 2 ? '<a href="/gone">x</a><a href="https://other.test/">y</a>' : '');
  site = await startSite(rowOfPages(4, more), { address: '127.78.0.43' });
  const seeds = [`${site.url}/`];
  const onPage = ({ url, title }: { url: string; title?: string }) => ({ url, title });
  const running = await startCrawl({ ...QUICK, seeds, out: join(folder, 'c'), onPage });
  await running.done;
  crawl = await openCrawl(join(folder, 'c'));
});
afterAll(async () => {
  await crawl.close();
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

describe('a stored crawl', () => {
  test('gives its URLs, and the outcome of one', async () => {
    const urls = await all(crawl.urls());
    expect(urls.map(({ url, status }) => [new URL(url).pathname, status]).sort()).toEqual([
      ['/', 'fetched'],
      ['/1', 'fetched'],
      ['/2', 'fetched'],
      ['/3', 'fetched'],
      ['/gone', 'gone'],
    ]);
    expect(await crawl.url(`${site.url}/2`)).toMatchObject({
      depth: 2,
      via: `${site.url}/1`,
      httpStatus: 200,
    });
    expect(await crawl.url(`${site.url}/never`)).toBeUndefined();
    expect(await all(crawl.skipped())).toEqual([
      { url: 'https://other.test/', reason: 'scope', via: `${site.url}/2` },
    ]);
  });

  test('gives its summary, its report, its settings and an explanation', async () => {
    expect(crawl).toMatchObject({ name: expect.stringContaining('127.78.0.43'), options: { delayMs: 0 } });
    const summary = await crawl.summary();
    expect(summary).toMatchObject({ state: 'finished', pages: 5 });
    expect(await crawl.report()).toMatchObject({ summary, depths: [1, 1, 1, 1] });
    expect(await crawl.explain('https://other.test/')).toMatchObject({ wouldBeFetched: false });
  });

  test('gives its items', async () => {
    const titles = await all(crawl.items<{ title: string }>());
    expect(titles.map(({ title }) => title)).toEqual(['0', '1', '2', '3']);
    expect((await all(crawl.itemsCsv())).slice(0, 2)).toEqual(['url,title\r\n', `${site.url}/,0\r\n`]);
  });

  test('gives each response of its archive, by its index and by its URL', async () => {
    const captures = await all(crawl.captures());
    expect(captures.map(({ url, status }) => [new URL(url).pathname, status])).toEqual([
      ['/', 200],
      ['/1', 200],
      ['/2', 200],
      ['/3', 200],
      ['/gone', 404],
      ['/robots.txt', 404],
    ]);
    for (const capture of captures.slice(0, 4)) {
      const record = await crawl.readRecord(capture);
      expect(record).toMatchObject({ type: 'response', url: capture.url, http: { status: 200 } });
      expect(Buffer.from(record.http!.decode()).toString()).toContain('<title>');
    }
    const row = await crawl.url(`${site.url}/3`);
    const record = await crawl.readRecord({ file: row!.warcFile!, offset: row!.warcOffset! });
    expect(record.url).toBe(`${site.url}/3`);
  });

  test('refuses places that hold no record, and records that are too large', async () => {
    const [capture] = await all(crawl.captures());
    await expect(crawl.readRecord({ file: 'none.warc.gz', offset: 0 })).rejects.toThrow(
      /no record at 0 of none.warc.gz/,
    );
    await expect(crawl.readRecord({ ...capture!, offset: capture!.offset + 1 })).rejects.toThrow(/Member at/);
    await expect(crawl.readRecord(capture!, { maxBytes: 10 })).rejects.toThrow(/at most 10 bytes, got \d+/);
  });

  test('is written as a WACZ', async () => {
    const file = join(folder, 'c.wacz');
    await writeFile(file, crawl.wacz());
    expect(readFileSync(file).subarray(0, 2).toString()).toBe('PK');
  });

  test('is not there in another folder', async () => {
    await expect(openCrawl(join(folder, 'none'))).rejects.toThrow(NoCrawl);
  });
});

describe('readers', () => {
  test('read WARC, CDXJ and items files', async () => {
    const archive = join(folder, 'c/archive');
    const path = join(archive, readdirSync(archive)[0]!);
    const types: Record<string, number> = {};
    for await (const record of readWarc(path)) {
      types[record.type] = (types[record.type] ?? 0) + 1;
      if (record.type === 'response')
        expect((await record.read()).content).toHaveLength(record.contentLength);
    }
    expect(types).toMatchObject({ warcinfo: 1, response: 6, request: 6 });
    expect(await checkWarc(path)).toMatchObject({ errors: 0, faults: [], records: types });
    const index = join(folder, 'all.cdxj.gz');
    writeFileSync(index, gzipSync((await all(crawl.cdxj())).join('')));
    expect(await all(readCdxj(index))).toEqual(await all(crawl.captures()));
    expect(await all(readItems(join(folder, 'c/items.jsonl')))).toHaveLength(4);
  });

  test.each([
    ['an index', readCdxj, 'org,a)/ 20260101000000 {"url": "https://a.org/"}'],
    ['an index', readCdxj, 'text'],
    ['items', readItems, '{"a": 1'],
  ])('name the line at which %s is broken', async (_, read, line) => {
    const path = join(folder, 'broken');
    writeFileSync(path, `\n${line}`);
    await expect(all<unknown>(read(path))).rejects.toThrow(/broken, line 2/);
    await expect(all<unknown>(read(join(folder, 'none')))).rejects.toThrow(/ENOENT/);
  });
});
