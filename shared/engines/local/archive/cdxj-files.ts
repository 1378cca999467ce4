/**
 * The CDXJ indexes beside an archive's WARC files: `FILE.cdxj` in a folder of their own for each
 * `FILE.warc.gz` that is closed, sorted, just what scanning the file gives. They hold nothing that is not in
 * the WARC files: one that is missing, or that is not of its file, is made again when it is requested.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, mkdir, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Capture, cdxjLine, scanCaptures } from '../../../core/archive/cdxj.ts';
import { mergeSorted } from '../../../core/archive/merge-sorted.ts';
import { NotWarc } from '../../../core/archive/read-warc.ts';
import { scanMembers } from '../../../core/archive/scan-members.ts';
import { windowedRead } from '../../../core/archive/windowed-read.ts';
import { damageText } from '../../../services/exports/scan-file.ts';
import { createLineSorter, readLines } from '../../line-sorter.ts';
import { foldersOf } from '../folders.ts';
import { listWarcFiles, type WarcFileEntry } from './archive-names.ts';
import { capturesAt, findPlaces, PLACES_SUFFIX } from './capture-places.ts';
import { findLines } from './find-lines.ts';
import { readHandle } from './read-handle.ts';
import { writeLines } from './sorted-lines.ts';
import { durableBytes } from './warc-journal.ts';

const indexNameOf = (file: string): string => file.replace(/\.warc\.gz$/, '.cdxj');

/** A file that a killed writer left in the folder. */
const LEFTOVER = /^(.+)\.cdxj\.(?:places(?:-\d+)?(?:-tmp)?|(?:run|tmp)-[0-9a-f-]+)$/;

/** Where the index of a WARC file is. */
export const indexPath = (indexFolder: string, file: string): string => join(indexFolder, indexNameOf(file));

/** Where `capture-places.ts` keeps the places of a file that is being written. */
export const placesPath = (indexFolder: string, file: string): string =>
  join(indexFolder, indexNameOf(file) + PLACES_SUFFIX);

/** The index of a file that is being written. */
export interface IndexWriter {
  /** Wait for what it returns before `finish`. Nearly always nothing has to be waited for. */
  add(capture: Capture): Promise<void> | undefined;
  /** Makes the index file; durable when it resolves. Nothing may be added after. */
  finish(): Promise<void>;
  /** Forgets all. */
  drop(): Promise<void>;
}

/** Holds some megabytes of lines; more of them are written into the folder as sorted runs. */
export function createIndexWriter(indexFolder: string, file: string): IndexWriter {
  const path = join(indexFolder, indexNameOf(file));
  const id = randomUUID();
  const sorter = createLineSorter((n) => `${path}.run-${id}-${n}`);
  return {
    add: (capture) => sorter.add(cdxjLine(capture, file)),
    async finish() {
      try {
        await writeLines(path, sorter.sortedPieces(), `${path}.tmp-${id}`);
      } finally {
        await sorter.dispose();
      }
    },
    drop: sorter.dispose,
  };
}

export interface IndexedFile extends Pick<WarcFileEntry, 'file' | 'path'> {
  /** Bytes of the file that count; all unless given. */
  readonly limit?: number;
}

/**
 * Makes the file's index by scanning it. Throws `NotWarc` where a member of it is not whole, and has then
 * made no index; with `isPartial`, it has made one of the members before that.
 */
export async function indexByScanning(
  warc: IndexedFile,
  indexFolder: string,
  { isPartial = false } = {},
): Promise<void> {
  const { file, path, limit = Number.POSITIVE_INFINITY } = warc;
  await mkdir(indexFolder, { recursive: true });
  const handle = await open(path, 'r');
  const writer = createIndexWriter(indexFolder, file);
  try {
    const damage = await addCaptures(handle, limit, writer);
    if (damage && !isPartial) throw damage;
    await writer.finish();
    if (damage) throw damage;
  } finally {
    await writer.drop();
    await handle.close();
  }
}

async function addCaptures(
  handle: FileHandle,
  limit: number,
  writer: IndexWriter,
): Promise<NotWarc | undefined> {
  try {
    for await (const capture of scanCaptures(windowedRead(readHandle(handle, limit))))
      await writer.add(capture);
    return undefined;
  } catch (error) {
    if (error instanceof NotWarc) return error;
    throw error;
  }
}

/** Removes what killed writers left of indexes of WARC files that match. */
export async function removeIndexLeftovers(indexFolder: string, pattern: RegExp): Promise<void> {
  if (!existsSync(indexFolder)) return;
  for (const name of await readdir(indexFolder)) {
    const stem = LEFTOVER.exec(name)?.[1];
    if (stem !== undefined && pattern.test(`${stem}.warc.gz`))
      await rm(join(indexFolder, name), { force: true });
  }
}

/**
 * All lines of the index of the crawl in `folder`, sorted, each with its line feed; also while it is crawled into: of a
 * file that is being written, its durable captures. Of a damaged or cut file, the captures before the damage; `warn` is
 * called for each, with its name and the damage's offset. Damage between records that an index names is found by `warc
 * check` alone. Memory: some 100 KB for each WARC file.
 */
export async function* mergedCdxj(
  folder: string,
  warn: (message: string) => void = () => {},
): AsyncGenerator<string, void, undefined> {
  yield* withIndexes(folder, { warn, isChecked: true }, (paths) => mergeSorted(paths.map(readLines)));
}

/**
 * The lines of those captures whose SURT is `surt`, without line feeds. Reads some pieces of each index; one that a
 * WARC file of this crawl has is taken as it is. A file that is being written is read at the places of these captures
 * if they are kept, otherwise whole.
 */
export async function cdxjLinesOf(folder: string, surt: string): Promise<string[]> {
  const { indexes, database } = foldersOf(folder);
  const found: string[] = [];
  const find = async function* (paths: readonly string[]) {
    for (const path of paths) yield* await findLines(path, `${surt} `);
  };
  /** Whether the file's places are known. */
  async function takeOpen({ file, path }: WarcFileEntry, closedPath: string): Promise<boolean> {
    const limit = durableBytes(database).get(file);
    if (limit === undefined) return false;
    const places = await findPlaces(placesPath(indexes, file), surt, limit);
    if (!places) return false;
    const lines: string[] = [];
    const handle = await open(path, 'r').catch(() => open(closedPath, 'r'));
    try {
      for await (const capture of capturesAt(handle, surt, places, limit))
        lines.push(cdxjLine(capture, file).trimEnd());
    } finally {
      await handle.close();
    }
    found.push(...lines);
    return true;
  }
  const use = { warn: () => {}, isChecked: false, takeOpen };
  for await (const line of withIndexes(folder, use, find)) found.push(line);
  return found;
}

interface IndexUse {
  readonly warn: (message: string) => void;
  /** Whether each index is read whole before it is used, and made again if it is not of its file. */
  readonly isChecked: boolean;
  /** Takes a file that is being written, if it can, without an index. `closedPath`: where it is when it is closed. */
  readonly takeOpen?: (entry: WarcFileEntry, closedPath: string) => Promise<boolean>;
}

/** Makes the indexes that are missing, and yields what `read` gives of all of them. */
async function* withIndexes(
  folder: string,
  { warn, isChecked, takeOpen }: IndexUse,
  read: (paths: readonly string[]) => AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  const { archive, indexes, database } = foldersOf(folder);
  const files = await listWarcFiles(archive);
  // Asked for after the files: one that is open in the list and not known now was closed meanwhile, and is
  // whole.
  const durable = durableBytes(database);
  const temporary = await mkdtemp(join(tmpdir(), 'strand-cdxj-'));
  try {
    const paths: string[] = [];
    for (const entry of files) {
      const known = join(indexes, indexNameOf(entry.file));
      if (entry.isOpen && (await takeOpen?.(entry, join(archive, entry.file)).catch(() => false))) continue;
      const path =
        !isChecked && !entry.isOpen && existsSync(known)
          ? known
          : entry.isOpen
            ? await indexOfOpenFile(entry, { archive, temporary }, durable.get(entry.file), warn)
            : await indexOfClosedFile(entry, indexes, temporary, warn);
      if (path !== undefined) paths.push(path);
    }
    yield* read(paths);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function indexOfOpenFile(
  entry: WarcFileEntry,
  { archive, temporary }: { readonly archive: string; readonly temporary: string },
  limit: number | undefined,
  warn: (message: string) => void,
): Promise<string | undefined> {
  const { file } = entry;
  for (const path of [entry.path, join(archive, file)]) {
    try {
      await indexByScanning({ file, path, ...(limit !== undefined && { limit }) }, temporary, {
        isPartial: true,
      });
      return join(temporary, indexNameOf(file));
    } catch (error) {
      if (error instanceof NotWarc) {
        // Without a limit, its last member is just being written.
        if (limit !== undefined) warn(damageText(file, error));
        return join(temporary, indexNameOf(file));
      }
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  // Nothing had been appended to it when it was closed.
  return undefined;
}

/** The index of a file that is closed. Undefined if the file is damaged, or where no index can be written. */
export async function keptIndex(entry: WarcFileEntry, indexes: string): Promise<string | undefined> {
  const path = join(indexes, indexNameOf(entry.file));
  if (await isIndexOf(path, entry)) return path;
  try {
    await indexByScanning(entry, indexes);
    return path;
  } catch (error) {
    if (error instanceof NotWarc || isUnwritable(error)) return undefined;
    throw error;
  }
}

async function indexOfClosedFile(
  entry: WarcFileEntry,
  indexes: string,
  temporary: string,
  warn: (message: string) => void,
): Promise<string> {
  const path = await keptIndex(entry, indexes);
  if (path !== undefined) return path;
  try {
    await indexByScanning(entry, temporary, { isPartial: true });
  } catch (error) {
    if (!(error instanceof NotWarc)) throw error;
    warn(damageText(entry.file, error));
  }
  return join(temporary, indexNameOf(entry.file));
}

/** Whether the WARC file has whole members from there to its end, as it has where it was not cut. */
async function isWholeFrom(path: string, offset: number): Promise<boolean> {
  const handle = await open(path, 'r');
  try {
    for await (const _ of scanMembers(windowedRead(readHandle(handle)), offset));
    return true;
  } catch (error) {
    if (error instanceof NotWarc) return false;
    throw error;
  } finally {
    await handle.close();
  }
}

const isUnwritable = (error: unknown): boolean =>
  ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EEXIST', 'ENOTDIR'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );

/**
 * Whether the file exists, whole and sorted, all its lines name offsets in that WARC file, and the records after the
 * last of these offsets are whole.
 */
async function isIndexOf(path: string, { file, path: warcPath, bytes }: WarcFileEntry): Promise<boolean> {
  const end = `, "filename": ${JSON.stringify(file)}}\n`;
  let last = '';
  let indexedBytes = 0;
  try {
    for await (const lines of readLines(path)) {
      for (const line of lines) {
        const place = /, "length": "(\d{1,15})", "offset": "(\d{1,15})"$/.exec(line.slice(0, -end.length));
        if (!place || !line.endsWith(end) || line < last) return false;
        indexedBytes = Math.max(indexedBytes, Number(place[1]) + Number(place[2]));
        if (indexedBytes > bytes) return false;
        last = line;
      }
    }
    return await isWholeFrom(warcPath, indexedBytes);
  } catch {
    // Missing, unreadable or cut: in each case it is made again.
    return false;
  }
}
