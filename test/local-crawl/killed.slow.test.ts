/** `kill -9` of whole crawls by the command line. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { openCrawl } from '../../api/open-crawl.ts';
import { createWarcCheck, type WarcFault } from '../../shared/core/archive/check-warc.ts';
import { fieldOf } from '../../shared/core/archive/read-warc.ts';
import { scanMembers } from '../../shared/core/archive/scan-members.ts';
import type { DocumentRow } from '../../shared/services/outputs/document-row.ts';
import { hasDocument } from '../../shared/services/outputs/read-documents.ts';
import { all } from '../all.ts';
import { checkLog } from '../web/check.ts';
import { closure } from '../web/truth.ts';
import { recordsOf } from './local-crawl.ts';
import { crawlArgs, place, requests, running, strand } from './web-by-command-line.ts';

const countsOf = (keys: readonly string[]): Map<string, number> =>
  new Map([...Map.groupBy(keys, (key) => key)].map(([key, all]) => [key, all.length]));

/**
 * URLs of the response and revisit records of all WARC files, by file and offset. Fails if a file is not
 * whole, or `strand warc check` would find an error.
 */
async function archivedResponses(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const folder = join(place.folder, 'archive');
  const faults: WarcFault[] = [];
  const check = createWarcCheck((fault) => faults.push(fault));
  for (const file of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, file));
    const read = async (at: number, length: number) => bytes.subarray(at, at + length);
    await check.file(file, read);
    for await (const { offset, record } of scanMembers(read))
      if (/^(response|revisit)$/.test(fieldOf(record, 'WARC-Type') ?? ''))
        found.set(`${file} ${offset}`, fieldOf(record, 'WARC-Target-URI') ?? '');
  }
  check.end();
  expect(faults.filter(({ severity }) => severity === 'error')).toEqual([]);
  return found;
}

/** The URLs of the documents in the crawl's folder, sorted. Fails if the table or the index of search has others. */
async function keptDocuments(): Promise<string[]> {
  const lines = readFileSync(join(place.folder, 'documents.jsonl'), 'utf8').trim().split('\n');
  const documents = lines.map((line) => JSON.parse(line) as DocumentRow);
  const urls = documents.map(({ url }) => url).sort();
  const file = await asyncBufferFromFile(join(place.folder, 'documents.parquet'));
  const rows = await parquetReadObjects({
    file,
    columns: ['url'],
    compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
  });
  expect(rows.map(({ url }) => url).sort()).toEqual(urls);
  const database = new DatabaseSync(join(place.folder, 'search.sqlite'), { readOnly: true });
  const pages = database
    .prepare('SELECT url, text FROM pages JOIN words ON pages.id = words.rowid ORDER BY url')
    .all();
  database.close();
  const texts = new Map(documents.map(({ url, text }) => [url, text]));
  expect(pages.map(({ url, text }) => [url, text])).toEqual(urls.map((url) => [url, texts.get(url)]));
  return urls;
}

test.each([
  ['one worker', [1, 1, 1, 1]],
  ['two workers, then three, then one', [2, 3, 1, 2]],
])(
  'strand crawl by %s killed three times and resumed, reaches the same URLs, and announces each of them once',
  async (_, [first, ...rest]) => {
    const { web, log, seeds } = running;
    const truth = closure(web, { seeds, scope: 'host', robotsAgent: 'Strand' });
    let run = strand(...crawlArgs('--workers', String(first), '--documents', '--search'));
    for (const [i, count] of [40, 110, 180].entries()) {
      await requests(count);
      run.child.kill('SIGKILL');
      expect((await run.ended).signal).toBe('SIGKILL');
      run = strand('resume', place.folder, '--json', '--workers', String(rest[i]));
    }
    const { code, out } = await run.ended;
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ state: 'finished', hosts: 8 });
    // Pages of an unfinished turn are fetched again: nothing else.
    expect(checkLog(web, log, { truth, allowRepeats: () => true, toleranceMs: 3 })).toEqual([]);
    const { records } = await recordsOf(place.folder);
    for (const [url, { state, orState }] of truth.urls) {
      const found = records.get(url)?.state;
      expect([url, found]).toEqual([url, found === orState ? orState : state]);
    }
    const withDocument = [...records.values()].filter((record) => hasDocument(record)).map(({ url }) => url);
    expect(await keptDocuments()).toEqual(withDocument.sort());
    const archived = await archivedResponses();
    // Captures of turns that were killed may stay; each is of a request that was made.
    const made = countsOf(log.map(({ host, path }) => `${host}${path}`));
    const kept = countsOf([...archived.values()].map((url) => url.replace(/^https?:\/\//, '')));
    for (const [url, count] of kept) expect(count, url).toBeLessThanOrEqual(made.get(url) ?? 0);
    await using stored = await openCrawl(place.folder);
    expect((await all(stored.cdxj())).join('').trim().split('\n').length).toBe(archived.size);
    for (const { url, result } of records.values())
      if (result?.location)
        expect(archived.get(`${result.location.file} ${result.location.offset}`)).toBe(url);
  },
);
