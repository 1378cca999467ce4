/** The archive of a stack's crawl in S3, for reading. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import QuickLRU from 'quick-lru';
import type { JoinedSource } from '../../../core/archive/joined-source.ts';
import { mergeSorted } from '../../../core/archive/merge-sorted.ts';
import type { IndexedCapture } from '../../../core/archive/parse-cdxj-line.ts';
import type { RecordLocation } from '../../../core/archive/record-location.ts';
import type { ReadAt } from '../../../core/archive/scan-members.ts';
import { linesAfter } from '../../../core/archive/search-lines.ts';
import { windowedRead } from '../../../core/archive/windowed-read.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { CapturePlace } from '../../../services/control/captures.ts';
import type { ArchiveFiles, ExportArchive } from '../../../services/exports/export-archive.ts';
import { scanFile } from '../../../services/exports/scan-file.ts';
import { createLineSorter } from '../../line-sorter.ts';
import type { Table } from '../table/table.ts';
import { warcFolder } from './archives.ts';
import { CapturePages } from './capture-pages.ts';
import { indexName, isSourceName } from './compact-layout.ts';
import { type FolderContext, listFiles, sizeOf } from './compact-objects.ts';
import { isMissing } from './is-missing.ts';
import { allJoinedSources, joinedSources, resolveLocation } from './joined-warcs.ts';
import { readRange } from './read-range.ts';

export interface StackArchiveContext extends Omit<FolderContext, 'folder' | 'clock'> {
  readonly clock: Clock;
  readonly mapping: Table;
}

export interface StackArchive extends ExportArchive {
  /** Yields the lines of the index, each with its line feed, sorted. */
  cdxj(warn?: (message: string) => void): AsyncGenerator<string, void, undefined>;
  /**
   * The captures whose SURT is `surt`, in no order. Looks them up in the indexes of joined files, and reads the files that
   * are not joined yet.
   */
  capturesOf(surt: string): Promise<readonly IndexedCapture[]>;
  /** Lists the files that hold the archive now. They can be read though the compactor joins them later. */
  list(): Promise<StackFiles>;
  /** The files of an earlier list, with their sizes. */
  listed(sizes: ReadonlyMap<string, number>): StackFiles;
  /** All files that were joined, with the places where they stand now. */
  joined(): Promise<ReadonlyMap<string, JoinedSource>>;
  /** Returns where a record stands now, and how its file is read. Throws `RangeError` if it is not there. */
  open(location: RecordLocation): Promise<{ readonly location: RecordLocation; readonly read: ReadAt }>;
}

/** The WARC files of a crawl at one time. */
interface StackFiles extends ArchiveFiles {
  /** Returns the bytes of the file's index; undefined if it has none. */
  readIndex(file: string): AsyncIterable<Uint8Array> | undefined;
  /** As {@link StackArchive.cdxj}, of these files alone. */
  cdxj(warn?: (message: string) => void): AsyncGenerator<string, void, undefined>;
}

/** How often a record is looked for whose file the compactor joins just now. */
const ATTEMPTS = 4;
/** File sizes that are remembered. */
const MAX_SIZES = 10_000;

/** `run`: pays for a call. */
export function createStackArchive(
  { mapping, ...context }: StackArchiveContext,
  crawl: CrawlId,
  run: <T>(call: () => Promise<T>) => Promise<T>,
): StackArchive {
  const folder: FolderContext = { ...context, folder: `${warcFolder(crawl)}/` };
  /** By file. Files never change. */
  const sizes = new QuickLRU<string, number>({ maxSize: MAX_SIZES });
  /**
   * A list of S3 is taken page by page, so that one list may miss both a joined file and its sources. What the first
   * list misses so is in the second.
   */
  async function listObjects(): Promise<Map<string, number>> {
    const files = new Map([...(await allFiles(folder)), ...(await allFiles(folder))]);
    const joined = await joinedSources(mapping, crawl, [...files.keys()].filter(isSourceName));
    for (const [source, { file }] of joined) if (files.has(file)) files.delete(source);
    return files;
  }

  /** The bytes of a file of the list, also if it was joined meanwhile: a joined file holds its sources whole. */
  async function readListed(file: string, start: number, end: number): Promise<Uint8Array> {
    try {
      return await readRange(folder, file, start, end);
    } catch (error) {
      if (!isMissing(error)) throw error;
      const now = await resolveLocation(mapping, crawl, { file, offset: start, length: end - start });
      if (now.file === file) throw error;
      return readRange(folder, now.file, now.offset, now.offset + now.length);
    }
  }

  const readerOf =
    (file: string, bytes: number): ReadAt =>
    (offset, length) =>
      run(() => readListed(file, offset, Math.min(bytes, offset + length)));

  const listed = (files: ReadonlyMap<string, number>) => archiveFiles(files, readerOf);
  async function bytesOf(file: string): Promise<number | undefined> {
    const bytes = sizes.get(file) ?? (await run(() => sizeOf(folder, file)));
    if (bytes !== undefined) sizes.set(file, bytes);
    return bytes;
  }

  async function open(given: RecordLocation) {
    for (let attempt = 1; ; attempt++) {
      const location = await run(() => resolveLocation(mapping, crawl, given));
      const { file } = location;
      const bytes = await bytesOf(file);
      if (bytes !== undefined && location.offset < bytes) {
        return { location, read: readerOf(file, bytes) };
      }
      // A file that is being joined is deleted after its new location is known.
      if (bytes === undefined && attempt < ATTEMPTS) continue;
      throw new RangeError(`There is no record at ${given.offset} of ${given.file} in the crawl ${crawl}`);
    }
  }

  const list = async () => listed(await run(listObjects));

  return {
    ...{ list, listed, open },
    joined: () => run(() => allJoinedSources(mapping, crawl)),
    capturesOf: (key) => run(() => capturesOf({ ...context, mapping }, crawl, key)),
    async *cdxj(warn) {
      yield* (await list()).cdxj(warn);
    },
  };
}

function archiveFiles(
  files: ReadonlyMap<string, number>,
  readerOf: (file: string, bytes: number) => ReadAt,
): StackFiles {
  const reader = (file: string) => readerOf(file, files.get(file) ?? 0);
  const warcs = [...files].flatMap(([name, bytes]) =>
    name.endsWith('.warc.gz') ? [{ name, bytes, read: () => wholeFile(reader(name)) }] : [],
  );
  const listed: ArchiveFiles = {
    warcs,
    sizes: files,
    reader,
    has: ({ file, offset, length }) => offset + length <= (files.get(file) ?? 0),
    async openIndex(file) {
      const index = indexName(file);
      const bytes = files.get(index);
      return bytes === undefined ? undefined : [reader(index), bytes];
    },
  };
  return {
    ...listed,
    readIndex: (file) => (files.has(indexName(file)) ? wholeFile(reader(indexName(file))) : undefined),
    cdxj: (warn) => linesIn(listed, warn),
  };
}

const PAGE = 1000;

async function capturesOf(
  context: StackArchiveContext,
  crawl: CrawlId,
  key: string,
): Promise<readonly IndexedCapture[]> {
  const pages = new CapturePages(context);
  // A file that is joined between two pages may be found at both of its places.
  const found = new Map<string, IndexedCapture>();
  let place: CapturePlace | undefined;
  do {
    const page = await pages.page(crawl, { from: `${key} `, below: `${key}!`, limit: PAGE, place });
    for (const capture of page.captures) {
      const { timestamp, digest, mime, length } = capture;
      found.set(JSON.stringify([capture.url, timestamp, digest, mime, length]), capture);
    }
    place = page.next;
  } while (place !== undefined);
  return [...found.values()];
}

/** The index of the files: of those that have none of their own, made by reading them. */
async function* linesIn(
  { warcs, openIndex, reader }: Pick<ArchiveFiles, 'warcs' | 'openIndex' | 'reader'>,
  warn: (message: string) => void = () => {},
): AsyncGenerator<string, void, undefined> {
  const temporary = await mkdtemp(join(tmpdir(), 'strand-cdxj-'));
  const sorter = createLineSorter((n) => join(temporary, `run-${n}`));
  const indexes: AsyncIterable<readonly string[]>[] = [];
  try {
    for (const { name } of warcs) {
      const index = await openIndex(name);
      if (index) indexes.push(linesAfter(...index, '', PIECE_BYTES));
      else await scanFile(name, windowedRead(reader(name)), { add: sorter.add, warn });
    }
    yield* mergeSorted([...indexes, sorter.sortedPieces()]);
  } finally {
    await sorter.dispose();
    await rm(temporary, { recursive: true, force: true });
  }
}

async function allFiles(folder: FolderContext): Promise<ReadonlyMap<string, number>> {
  const files = new Map<string, number>();
  for await (const page of listFiles(folder)) for (const { file, bytes } of page) files.set(file, bytes);
  return files;
}

const PIECE_BYTES = 256 * 1024;
const COPY_BYTES = 4 * 1024 * 1024;

async function* wholeFile(read: ReadAt): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const piece = await read(at, COPY_BYTES);
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}
