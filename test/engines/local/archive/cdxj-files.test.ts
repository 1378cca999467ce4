import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeCapture, encodeRevisit } from '../../../../shared/core/archive/capture.ts';
import { cdxjLine, scanCaptures } from '../../../../shared/core/archive/cdxj.ts';
import { encodeMetadata } from '../../../../shared/core/archive/metadata.ts';
import { encodeWarcinfo } from '../../../../shared/core/archive/warcinfo.ts';
import { createLineSorter, readLines } from '../../../../shared/engines/line-sorter.ts';
import {
  type FileArchive,
  type FileArchiveOptions,
  openFileArchive,
  repairFileArchive,
} from '../../../../shared/engines/local/archive/archive.ts';
import { listWarcFiles } from '../../../../shared/engines/local/archive/archive-names.ts';
import { mergedCdxj } from '../../../../shared/engines/local/archive/cdxj-files.ts';
import { writeLines } from '../../../../shared/engines/local/archive/sorted-lines.ts';
import type { FileArchiveJournal } from '../../../../shared/engines/local/archive/warc-journal.ts';
import { openDatabase } from '../../../../shared/engines/local/database.ts';
import { captureOf, newId, RECORDS, T0 } from '../../../core/archive/captures.ts';

let root: string;
let folders = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'cdxj-files-'));
});
afterAll(() => rm(root, { recursive: true }));

/** A crawl's folder with its database, which the archive keeps its journal in. */
function newCrawl() {
  const folder = join(root, String(folders++));
  const warnings: string[] = [];
  let journal: FileArchiveJournal | undefined;
  async function openArchive(options: Partial<FileArchiveOptions> = {}) {
    await mkdir(folder, { recursive: true });
    journal ??= databaseJournal(join(folder, 'crawl.sqlite'));
    return openFileArchive({
      folder: join(folder, 'archive'),
      prefix: 'test',
      warcinfo: (filename) => encodeWarcinfo({ id: newId(), filename, date: T0, software: 'test' }),
      clock: { now: () => T0 },
      journal,
      warn: (message) => warnings.push(message),
      ...options,
    });
  }
  const repair = () =>
    repairFileArchive({
      folder: join(folder, 'archive'),
      prefix: 'test',
      journal: journal!,
      warn: (message) => warnings.push(message),
    });
  return { folder, warnings, openArchive, repair };
}

function databaseJournal(path: string): FileArchiveJournal {
  const database = openDatabase(path, 'write');
  const save = database.prepare('INSERT OR REPLACE INTO warc_files (file, bytes) VALUES (?, ?)');
  const close = database.prepare('DELETE FROM warc_files WHERE file = ?');
  return {
    load: () =>
      database.prepare('SELECT file, bytes FROM warc_files').all() as { file: string; bytes: number }[],
    save: (file, bytes) => save.run(file, bytes),
    close: (file) => close.run(file),
  };
}

/** Appends the records of a page as a turn does. */
async function appendPage(archive: FileArchive, path: string, size = 100, isRevisit = false): Promise<void> {
  const url = `http://example.test/${path}`;
  const response = captureOf({
    url,
    body: Buffer.alloc(size, path),
    headers: [['Content-Type', 'image/png']],
  });
  const original = { url, date: '2026-01-01T00:00:00.000Z', recordId: '<urn:uuid:0>' };
  const encoded = isRevisit
    ? await encodeRevisit(response, original, RECORDS)
    : await encodeCapture(response, RECORDS);
  const { responseId, date, capture } = encoded;
  const metadata = encodeMetadata(
    { concurrentTo: responseId, url, date, hopsFromSeed: 0, fetchTimeMs: 1 },
    RECORDS,
  );
  await archive.append([...encoded.members, metadata], [capture]);
}

/** Returns the lines of a scan of the file, sorted. */
async function scanned(path: string, file: string): Promise<string> {
  const handle = await open(path, 'r');
  const lines: string[] = [];
  const bytes = await handle.readFile();
  await handle.close();
  for await (const capture of scanCaptures(async (at, length) => bytes.subarray(at, at + length)))
    lines.push(cdxjLine(capture, file));
  return lines.sort().join('');
}

async function merged(folder: string, warn?: (message: string) => void): Promise<string> {
  const lines: string[] = [];
  for await (const line of mergedCdxj(folder, warn)) lines.push(line);
  return lines.join('');
}

const indexPath = (folder: string, file: string) =>
  join(folder, 'indexes', file.replace('.warc.gz', '.cdxj'));

test('each closed file has an index, byte for byte what scanning it gives, and all merge to one', async () => {
  const pages = fc.array(
    fc.tuple(
      fc.string({ unit: fc.constantFrom('a', 'B', '/', '?', '%20') }),
      fc.constantFrom(0, 3000, 300_000),
      fc.boolean(),
    ),
    { minLength: 1, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(pages, async (given) => {
      const { folder, warnings, openArchive } = newCrawl();
      const archive = await openArchive({ maxBytes: 5000 });
      for (const page of given) await appendPage(archive, ...page);
      await archive.close();
      const files = await listWarcFiles(join(folder, 'archive'));
      const all: string[] = [];
      for (const { file, path } of files) {
        const index = await readFile(indexPath(folder, file), 'latin1');
        expect(index).toBe(await scanned(path, file));
        all.push(...index.split(/(?<=\n)/));
      }
      expect(all).toHaveLength(given.length);
      expect(await merged(folder)).toBe(all.sort().join(''));
      expect(await readdir(join(folder, 'indexes'))).toHaveLength(files.length);
      expect(warnings).toEqual([]);
    }),
    { numRuns: 15 },
  );
});

test('of a file that is being written, what is durable is in the merged index', async () => {
  const { folder, openArchive } = newCrawl();
  const archive = await openArchive();
  await appendPage(archive, 'b');
  await archive.flush();
  // Written out, for the most part, and not durable.
  await appendPage(archive, 'a', 3_000_000);
  expect((await merged(folder)).split('\n').map((line) => line.split(' ')[0])).toEqual([
    'test,example)/b',
    '',
  ]);
  expect(await readdir(join(folder, 'indexes'))).toEqual([]);
  await archive.close();
  expect((await merged(folder)).split('\n')).toHaveLength(3);
});

test.each([
  ['is missing', (path: string) => rm(path)],
  ['is cut', (path: string) => truncate(path, 50)],
  [
    'is of another file',
    (path: string) => writeFile(path, 'a 2026 {"length": "1", "offset": "0", "filename": "x"}\n'),
  ],
  [
    'names places beyond the end',
    async (path: string) => {
      const text = await readFile(path, 'latin1');
      await writeFile(path, text.replace(/"offset": "\d+"/, '"offset": "99999999"'));
    },
  ],
  [
    'is not sorted',
    async (path: string) => {
      const [a, b] = (await readFile(path, 'latin1')).split(/(?<=\n)/);
      await writeFile(path, b! + a!);
    },
  ],
] as const)('an index that %s is made again when it is requested', async (_, harm) => {
  const { folder, openArchive } = newCrawl();
  const archive = await openArchive();
  await appendPage(archive, 'a');
  await appendPage(archive, 'b');
  await archive.close();
  const path = indexPath(folder, 'test-20260102030405-00000.warc.gz');
  const before = await readFile(path, 'latin1');
  await harm(path);
  expect(await merged(folder)).toBe(before);
  expect(await readFile(path, 'latin1')).toBe(before);
});

test('a file to which something was appended without its captures has an index only when that is requested', async () => {
  const { folder, openArchive } = newCrawl();
  const archive = await openArchive();
  await appendPage(archive, 'a');
  await archive.append((await encodeCapture(captureOf({}), RECORDS)).members);
  await appendPage(archive, 'b');
  await archive.close();
  expect(await readdir(join(folder, 'indexes'))).toEqual([]);
  expect((await merged(folder)).split('\n')).toHaveLength(4);
  expect(await readdir(join(folder, 'indexes'))).toEqual(['test-20260102030405-00000.cdxj']);
});

test('where no index can be kept, crawling and the merged index do without', async () => {
  const { folder, warnings, openArchive } = newCrawl();
  const archive = await openArchive();
  await appendPage(archive, 'a');
  await rm(join(folder, 'indexes'), { recursive: true });
  await writeFile(join(folder, 'indexes'), 'no folder');
  await archive.close();
  expect(warnings).toEqual([expect.stringMatching(/^No index of WARC file test-.*ENOTDIR/)]);
  expect((await merged(folder)).split('\n')).toHaveLength(2);
});

test('of a damaged file the lines before the damage are returned, with a warning, and no index is kept', async () => {
  const { folder, openArchive } = newCrawl();
  const archive = await openArchive();
  for (const path of ['a', 'b', 'c']) await appendPage(archive, path, 5000);
  await archive.close();
  const file = 'test-20260102030405-00000.warc.gz';
  await rm(indexPath(folder, file));
  const path = join(folder, 'archive', file);
  await truncate(path, (await readFile(path)).length - 4000);
  const warnings: string[] = [];
  expect((await merged(folder, (message) => warnings.push(message))).split('\n')).toHaveLength(3);
  expect(warnings).toEqual([expect.stringContaining(`${file} is damaged`)]);
  expect(existsSync(indexPath(folder, file))).toBe(false);
});

test('the index of a closed file that was not made, as on a full disk, is made when the folder is opened again', async () => {
  const { folder, warnings, openArchive, repair } = newCrawl();
  const archive = await openArchive();
  await appendPage(archive, 'a');
  await archive.close();
  const [{ file, path } = { file: '', path: '' }] = await listWarcFiles(join(folder, 'archive'));
  await rm(indexPath(folder, file));
  await repair();
  expect(await readFile(indexPath(folder, file), 'latin1')).toBe(await scanned(path, file));
  expect(warnings).toEqual([]);
});

test('what killed writers leave is repaired for all of them at once, and indexed', async () => {
  const { folder, warnings, openArchive, repair } = newCrawl();
  const killed = [await openArchive(), await openArchive({ prefix: 'test-1', isRepaired: true })];
  for (const [i, archive] of killed.entries()) {
    await appendPage(archive, `durable-${i}`);
    await archive.flush();
    await appendPage(archive, `lost-${i}`);
  }
  const leftover = join(folder, 'indexes', 'test-1-20260102030405-00000.cdxj.run-0a-0');
  await writeFile(leftover, 'x');
  await repair();
  const files = await listWarcFiles(join(folder, 'archive'));
  expect(files.map(({ file, isOpen }) => [file, isOpen])).toEqual([
    ['test-1-20260102030405-00000.warc.gz', false],
    ['test-20260102030405-00000.warc.gz', false],
  ]);
  for (const { file, path } of files)
    expect(await readFile(indexPath(folder, file), 'latin1')).toBe(await scanned(path, file));
  expect(existsSync(leftover)).toBe(false);
  expect((await merged(folder)).match(/durable-\d|lost-\d/g)).toEqual([
    'durable-0',
    'durable-0',
    'durable-1',
    'durable-1',
  ]);
  expect(warnings).toEqual([]);
  for (const archive of killed) await archive.close().catch(() => {});
});

test('archives of several prefixes write in one folder at once', async () => {
  const { folder, openArchive, repair } = newCrawl();
  await (await openArchive()).close();
  await repair();
  const archives = await Promise.all(
    ['test', 'test-1', 'test-2'].map((prefix) => openArchive({ prefix, isRepaired: true, maxBytes: 2000 })),
  );
  await Promise.all(
    archives.map(async (archive, i) => {
      for (let n = 0; n < 10; n++) await appendPage(archive, `${i}/${n}`, 500);
      await archive.close();
    }),
  );
  expect((await merged(folder)).split('\n')).toHaveLength(31);
  expect((await listWarcFiles(join(folder, 'archive'))).length).toBeGreaterThan(6);
});

test('a crawl without an archive has an empty index', async () => {
  expect(await merged(join(root, 'none'))).toBe('');
});

test('a sorter gives its lines sorted, however few fit into memory, and leaves nothing', async () => {
  const folder = join(root, String(folders++));
  await mkdir(folder);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string()), fc.integer({ min: 1, max: 100 }), async (texts, maxChars) => {
      const lines = texts.map((text) => `${JSON.stringify(text).replace(/[^ -~]/g, '')}\n`);
      const sorter = createLineSorter((n) => join(folder, String(n)), maxChars);
      for (const line of lines) await sorter.add(line);
      await writeLines(join(folder, 'sorted'), sorter.sortedPieces(), join(folder, 'temporary'));
      await sorter.dispose();
      const read: string[] = [];
      for await (const piece of readLines(join(folder, 'sorted'))) read.push(...piece);
      expect(read).toEqual(lines.toSorted());
      expect(await readdir(folder)).toEqual(['sorted']);
    }),
    { numRuns: 30 },
  );
});
