import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCrawl, type StoredCrawl, startCrawl } from '../../api/index.ts';
import { all } from '../all.ts';
import { runHere } from '../cli/commands.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { type SmallSite, startSite } from '../local-crawl/small-site.ts';

const TEXT = 'A long sentence that says something, so that it counts as the content of its page. '.repeat(4);
const pageOf = (title: string, links: string) =>
  `<title>${title}</title><main><h1>${title}</h1><p>${TEXT}</p><p>${TEXT} ${links}</p></main>`;
const START = pageOf('Start', '<a href="/b?c=1">B</a> <a href="/same">S</a> <a href="/none">N</a>');

let site: SmallSite;
let folder: string;
let crawl: StoredCrawl;
let duck: DuckDBConnection;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-parquet-'));
  site = await startSite(
    { '/': START, '/same': START, '/b?c=1': pageOf('B', '') },
    { address: '127.78.0.45' },
  );
  const onPage = ({ url, $ }: { url: string; $: (selector: string) => { text(): string } }) => ({
    url,
    heading: $('h1').text(),
    words: 7,
    tags: ['a', 'b'],
  });
  const out = join(folder, 'c');
  const running = await startCrawl({ ...QUICK, seeds: [`${site.url}/`], out, onPage: onPage as never });
  await running.done;
  crawl = await openCrawl(out);
  duck = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(async () => {
  duck.closeSync();
  await crawl.close();
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(sql: string): Promise<unknown[][]> {
  return (await duck.runAndReadAll(sql)).getRowsJS() as unknown[][];
}
const names = (path: string) => (existsSync(path) ? readdirSync(path).sort() : []);

test('DuckDB reads the index with the partitions and queries of Common Crawl', async () => {
  const out = join(folder, 'tables');
  const counts = await crawl.exportParquet(out, { tables: ['index', 'urls', 'items', 'documents'] });
  expect(counts).toEqual({ index: 5, urls: 4, items: 3, documents: 3 });
  await duck.run(
    `CREATE VIEW ccindex AS SELECT * FROM read_parquet('${out}/index/**/*.parquet', hive_partitioning = true)`,
  );
  const captures: string[] = [];
  for await (const { url } of crawl.captures()) captures.push(url);
  expect(await ask(`SELECT url FROM ccindex ORDER BY warc_filename, url_surtkey, subset`)).toHaveLength(
    captures.length,
  );
  const query = `SELECT url, fetch_status, warc_filename, warc_record_offset, warc_record_length FROM ccindex
    WHERE crawl = '${crawl.name}' AND subset = 'warc' AND content_mime_type = 'text/html' ORDER BY url_path`;
  const pages = await ask(query);
  // The page with the same bytes is a revisit, and has no content of its own.
  expect(pages.map(([, status]) => status)).toEqual([200, 200]);
  for (const [url, , file, offset] of pages) {
    const record = await crawl.readRecord({ file: String(file), offset: Number(offset) });
    expect(record.url).toBe(url);
  }
  const bySubset = await ask('SELECT subset, warc_type, count(*) FROM ccindex GROUP BY ALL ORDER BY ALL');
  expect(bySubset.map((row) => row.map(String).join(' '))).toEqual([
    'crawldiagnostics response 1',
    'crawldiagnostics revisit 1',
    'robotstxt response 1',
    'warc response 2',
  ]);
  const types = await ask(
    `SELECT DISTINCT typeof(fetch_time), typeof(fetch_status), typeof(url_port), typeof(warc_record_offset) FROM ccindex`,
  );
  expect(types).toEqual([['TIMESTAMP', 'SMALLINT', 'INTEGER', 'INTEGER']]);
  const byDomain = await ask(
    `SELECT count(*)::INT, count(DISTINCT url_path)::INT, round(avg(warc_record_length)) > 0, content_mime_type = content_mime_detected
     FROM ccindex WHERE subset = 'warc' GROUP BY url_host_registered_domain, url_host_tld, 4`,
  );
  expect(byDomain).toHaveLength(1);
  expect(await ask("SELECT min(fetch_time) > TIMESTAMP '2020-01-01' FROM ccindex")).toEqual([[true]]);
});

test('DuckDB reads URLs, items and documents', async () => {
  const out = join(folder, 'tables');
  const urls = await ask(
    `SELECT status, count(*)::INT FROM '${out}/urls/*.parquet' GROUP BY ALL ORDER BY ALL`,
  );
  expect(urls).toEqual([
    ['fetched', 3],
    ['gone', 1],
  ]);
  const items = await ask(`SELECT heading, words, tags FROM '${out}/items/*.parquet' ORDER BY heading, url`);
  expect(items).toEqual([
    ['B', 7, '["a","b"]'],
    ['Start', 7, '["a","b"]'],
    ['Start', 7, '["a","b"]'],
  ]);
  const joined = await ask(
    `SELECT d.title, u.httpStatus FROM '${out}/documents/*.parquet' d JOIN '${out}/urls/*.parquet' u USING (url)
     WHERE d.markdown LIKE '%A long sentence%' ORDER BY ALL`,
  );
  expect(joined).toEqual([
    ['B', 200],
    ['Start', 200],
    ['Start', 200],
  ]);
});

test('the command writes what is requested, and refuses a folder with files', async () => {
  const out = join(folder, 'by-command');
  const words = ['export', crawl.folder, '--format', 'parquet', '--out', out];
  expect(await runHere(...words, '--tables', 'urls')).toBe(0);
  expect(names(out)).toEqual(['urls']);
  expect(names(join(out, 'urls'))).toEqual(['part-00000.zstd.parquet']);
  await expect(runHere(...words)).rejects.toThrow(/holds files already/);
});

test('a damaged record costs its row only, and is named', async () => {
  const damaged = join(folder, 'damaged');
  cpSync(crawl.folder, damaged, { recursive: true });
  let last: { file: string; offset: number } | undefined;
  for await (const capture of crawl.captures()) last = capture;
  const path = readdirSync(damaged, { recursive: true }).find((name) => String(name).endsWith(last!.file));
  const file = openSync(join(damaged, String(path)), 'r+');
  writeSync(file, Buffer.alloc(8), 0, 8, last!.offset);
  closeSync(file);
  await using opened = await openCrawl(damaged);
  const warned: string[] = [];
  const out = join(folder, 'of-damaged');
  const rows = await opened.exportParquet(out, {
    tables: ['index'],
    warn: (message) => warned.push(message),
  });
  expect(rows.index).toBeLessThan(5);
  expect(warned.join()).toContain(last!.file);
  expect(readdirSync(out).sort()).toEqual(['index']);
});

test('the table of URLs has seeds that are on their way to their hosts, too', async () => {
  const copy = join(folder, 'with-seeds');
  cpSync(join(folder, 'c'), copy, { recursive: true });
  await using stored = await openCrawl(copy);
  await stored.addSeeds([`${site.url}/later`, `${site.url}/`]);
  const urls = (await all(stored.urls())).map(({ url }) => url);
  expect(urls).toContain(`${site.url}/later`);
  const out = join(folder, 'seeds');
  await stored.exportParquet(out, { tables: ['urls'] });
  expect((await ask(`SELECT url FROM '${out}/urls/*.parquet'`)).flat()).toEqual(urls);
});
