import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCrawl } from '../../api/open-crawl.ts';
import { createWarcCheck, type WarcFault } from '../../shared/archive/check-warc.ts';
import { fieldOf } from '../../shared/archive/read-warc.ts';
import { scanMembers } from '../../shared/archive/scan-members.ts';
import type { DocumentRow } from '../../shared/outputs/document-row.ts';
import { hasDocument } from '../../shared/outputs/read-documents.ts';
import { all } from '../all.ts';
import { checkLog } from '../web/check.ts';
import { PLAIN } from '../web/features.ts';
import { generateWeb } from '../web/graph.ts';
import { type LogEntry, type RunningWeb, startWeb } from '../web/server.ts';
import { closure } from '../web/truth.ts';
import { recordsOf, temporaryFolder } from './local-crawl.ts';

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));

let place: ReturnType<typeof temporaryFolder>;
let running: RunningWeb;
const children: ChildProcess[] = [];

beforeEach(async () => {
  place = temporaryFolder();
  const features = { ...PLAIN, redirects: true, duplicates: true, spellings: true };
  running = await startWeb(generateWeb({ seed: 31, hosts: 8, pagesPerHost: 30, features }), { latencyMs: 2 });
});
afterEach(async () => {
  for (const child of children)
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await running.stop();
  place.remove();
});

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

function strand(...args: string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let out = '';
  let err = '';
  child.stdout?.on('data', (text) => {
    out += text;
  });
  child.stderr?.on('data', (text) => {
    err += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, out, err }));
  });
  return { child, ended };
}

const crawlArgs = (...more: string[]) => [
  ...['crawl', ...running.seeds, '--resolve', `*.test=${running.address}`, '--allow-private-addresses'],
  ...[
    '--contact',
    'me@example.org',
    '--delay',
    '0',
    '--no-adaptive',
    '--out',
    place.folder,
    '--json',
    ...more,
  ],
];

const countsOf = (keys: readonly string[]): Map<string, number> =>
  new Map([...Map.groupBy(keys, (key) => key)].map(([key, all]) => [key, all.length]));

/** Waits until the web has had this number of requests. */
async function requests(count: number): Promise<void> {
  while (running.log.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

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

describe('strand crawl', () => {
  test.each([
    ['one worker', [1, 1, 1, 1]],
    ['two workers, then three, then one', [2, 3, 1, 2]],
  ])(
    'by %s killed three times and resumed, reaches the same URLs, and announces each of them once',
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
      const withDocument = [...records.values()]
        .filter((record) => hasDocument(record))
        .map(({ url }) => url);
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

  test.each([1, 2])(
    'of %i worker(s) interrupted ends its turns, says how to continue, and resumes without fetching anything twice',
    async (workers) => {
      const { web, log, seeds } = running;
      const truth = closure(web, { seeds, scope: 'host', robotsAgent: 'Strand' });
      const run = strand(...crawlArgs('--workers', String(workers)));
      await requests(60);
      run.child.kill('SIGINT');
      const { code, out } = await run.ended;
      expect([code, JSON.parse(out).state]).toEqual([130, 'interrupted']);
      // The requests in flight, one for each host, were in vain.
      const last = new Map(log.map((entry) => [entry.host, entry]));
      const again = await strand('resume', place.folder, '--json').ended;
      expect([again.code, JSON.parse(again.out).state]).toEqual([0, 'finished']);
      const allowRepeats = ({ host, path }: LogEntry) => last.get(host)?.path === path;
      expect(checkLog(web, log, { truth, allowRepeats, toleranceMs: 3 })).toEqual([]);
    },
  );

  test('refuses a folder that another process crawls into, and one that holds a crawl', async () => {
    const run = strand(...crawlArgs());
    await requests(5);
    // Otherwise a quick machine has finished the crawl before the other process looks.
    run.child.kill('SIGSTOP');
    const refused = await strand('resume', place.folder).ended;
    run.child.kill('SIGCONT');
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(/in use by another process \(process \d+\)/);
    run.child.kill('SIGINT');
    await run.ended;
    const second = await strand(...crawlArgs()).ended;
    expect(second.code).toBe(2);
    expect(second.err).toContain('holds a crawl already');
  });

  test('stops at its limit of pages exactly, with its own exit code, and continues with a higher one', async () => {
    const limited = await strand(...crawlArgs('--max-pages', '25')).ended;
    expect(limited.code).toBe(3);
    expect(JSON.parse(limited.out)).toMatchObject({ pages: 25, state: 'limited' });
    const more = await strand('resume', place.folder, '--max-pages', '40', '--json').ended;
    expect([more.code, JSON.parse(more.out).pages]).toEqual([3, 40]);
  });

  test('shows, also while it runs, its progress and what happened to a URL', async () => {
    const { code } = await strand(...crawlArgs('--scope', 'page')).ended;
    expect(code).toBe(0);
    const status = await strand('status', place.folder, '--json').ended;
    expect(JSON.parse(status.out)).toMatchObject({ state: 'finished', hosts: 8 });
    const url = running.seeds[0] as string;
    // Another spelling of it.
    const answer = await strand('url', place.folder, `${url}?utm_source=x`, '--json').ended;
    expect(JSON.parse(answer.out)).toMatchObject({ url, status: 'fetched', httpStatus: 200, depth: 0 });
    const explained = await strand('explain', place.folder, url).ended;
    expect(explained).toMatchObject({ code: 0, out: expect.stringContaining('it is not fetched again') });
    const unknown = await strand('url', place.folder, `${url}no/such/page`).ended;
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('does not know')]);
    const exported = await strand('export', place.folder, '--format', 'jsonl').ended;
    const rows = exported.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.length).toBe(JSON.parse(status.out).urls);
    expect(rows.filter((row) => row.status === 'fetched').every((row) => row.warcLength > 0)).toBe(true);
  });

  test('ends with its own exit code where nothing could be fetched, and names the cause', async () => {
    const args = ['crawl', 'http://127.9.9.9:8/', '--out', place.folder, '--max-time', '30s'];
    const blocked = await strand(...args).ended;
    expect(blocked.code).toBe(4);
    const { records, setAside } = await recordsOf(place.folder);
    expect([...records.values()].map(({ state, result }) => [state, result?.cause])).toMatchObject([
      [
        'skipped',
        { failure: 'blockedAddress', detail: expect.stringContaining('--allow-private-addresses') },
      ],
    ]);
    expect(setAside.size).toBe(0);
  });

  test('takes its seeds from a file', async () => {
    const file = `${place.folder}.txt`;
    writeFileSync(file, `# seeds\n${running.seeds[0]}\n\n`);
    const args = crawlArgs('--scope', 'page', '--seeds', file).filter((arg) => !running.seeds.includes(arg));
    const { code, out } = await strand(...args).ended;
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ pages: 1, state: 'finished' });
  });
});

describe('the log', () => {
  const entriesOf = (text: string): { level: string; message: string }[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('is all that standard error has with --log-format json, the error that ends the crawl included', async () => {
    const first = await strand(...crawlArgs('--log-format', 'json', '--max-pages', '5')).ended;
    const entries = entriesOf(first.err);
    expect(entries[0]).toMatchObject({ level: 'info', message: 'Crawl started', folder: place.folder });
    expect(entries.at(-1)).toMatchObject({ message: 'Crawl ended', state: 'limited' });
    expect(JSON.parse(first.out)).toMatchObject({ state: 'limited' });
    const again = await strand(...crawlArgs('--log-format', 'json')).ended;
    expect(again.code).toBe(2);
    expect(entriesOf(again.err)).toEqual([
      { time: expect.any(String), level: 'error', message: expect.stringContaining('holds a crawl already') },
    ]);
  });

  test('has a line for each page with --log-level debug, in the file too if --quiet hides it', async () => {
    const { err, out } = await strand(...crawlArgs('--log-level', 'debug', '--quiet', '--max-pages', '5'))
      .ended;
    expect(err).not.toMatch(/DEBUG|INFO/);
    const { pages } = JSON.parse(out);
    const entries = entriesOf(readFileSync(join(place.folder, 'log.jsonl'), 'utf8'));
    expect(entries.filter(({ message }) => message === 'Page').length).toBeGreaterThanOrEqual(pages);
  });
});
