/** Repairs the WARC files of a writer that was killed. */
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fieldOf, NotWarc } from '../../../core/archive/read-warc.ts';
import { scanMembers } from '../../../core/archive/scan-members.ts';
import { windowedRead } from '../../../core/archive/windowed-read.ts';
import { refuseOtherNames } from '../folder-guard.ts';
import { listWarcFiles, sizeOf, syncFolder, type WarcFileEntry } from './archive-names.ts';
import { indexByScanning, indexPath, removeIndexLeftovers } from './cdxj-files.ts';
import { readHandle } from './read-handle.ts';
import type { FileArchiveJournal } from './warc-journal.ts';

export interface RepairOptions {
  readonly folder: string;
  readonly indexFolder: string;
  /** Files not known to the journal are ours if their final name matches. */
  readonly pattern: RegExp;
  readonly journal: FileArchiveJournal;
  readonly warn: (message: string) => void;
}

/**
 * Gives each `.open` file its final name, cut to the length in the journal: bytes after it were never announced. A file
 * that the journal does not know, or that is shorter than the journal says, keeps its whole captures from its start. A
 * file that is left with no capture is removed; others are indexed, where they can be. Safe to repeat, also after a
 * crash in its midst.
 */
export async function repairFolder(options: RepairOptions): Promise<void> {
  const { folder, indexFolder, pattern, journal, warn } = options;
  await removeIndexLeftovers(indexFolder, pattern);
  const left = new Map((await listWarcFiles(folder)).filter((f) => f.isOpen).map((f) => [f.file, f]));
  const known = new Map(journal.load().map(({ file, bytes }) => [file, bytes]));
  for (const [file, bytes] of known) {
    const found = left.get(file);
    if (found) await repairFile(found, options, await goodLength(found, bytes, warn));
    else await checkFinished(folder, file, bytes, warn);
    journal.close(file);
  }
  for (const [file, found] of left) {
    if (known.has(file) || !pattern.test(file)) continue;
    await repairFile(found, options, await goodLength(found, undefined, warn));
  }
  await indexClosedFiles(options);
}

/** Makes the indexes that are missing: the disk was full, or the process was killed, while they were made. */
async function indexClosedFiles({ folder, indexFolder, pattern, warn }: RepairOptions): Promise<void> {
  for (const { file, path, isOpen } of await listWarcFiles(folder)) {
    if (isOpen || !pattern.test(file) || existsSync(indexPath(indexFolder, file))) continue;
    // A damaged file has none: those who read it report the damage.
    await makeIndex({ file, path }, indexFolder, (text, error) => error instanceof NotWarc || warn(text));
  }
}

async function goodLength(
  found: WarcFileEntry,
  saved: number | undefined,
  warn: RepairOptions['warn'],
): Promise<number> {
  if (saved !== undefined && found.bytes >= saved) return saved;
  const scan = await scanCaptures(found.path);
  const why =
    saved === undefined
      ? 'the journal does not know it'
      : `it has ${found.bytes} bytes and the journal says ${saved}: announced records are lost`;
  const rest = scan.problem ? `; ${scan.problem}` : '';
  warn(
    `WARC file ${found.file} was not closed and ${why}. Kept ${scan.bytes} bytes of whole captures${rest}`,
  );
  return scan.bytes;
}

async function checkFinished(
  folder: string,
  file: string,
  saved: number,
  warn: RepairOptions['warn'],
): Promise<void> {
  const bytes = await sizeOf(join(folder, file));
  // Nothing durable in it yet: killed before the file was made, or while it was removed.
  if (saved === 0 || (bytes !== undefined && bytes >= saved)) return;
  const what = bytes === undefined ? 'is missing' : `has ${bytes} bytes`;
  warn(`WARC file ${file} ${what} and the journal says ${saved}: announced records are lost`);
}

async function repairFile(
  { file, path }: WarcFileEntry,
  { folder, indexFolder, warn }: RepairOptions,
  bytes: number,
): Promise<void> {
  if (bytes === 0) {
    await rm(path);
    await syncFolder(folder);
    return;
  }
  await cutDurably(path, bytes);
  const final = join(folder, file);
  await rename(path, final);
  await syncFolder(folder);
  await makeIndex({ file, path: final }, indexFolder, warn);
}

async function makeIndex(
  warc: Pick<WarcFileEntry, 'file' | 'path'>,
  indexFolder: string,
  warn: (message: string, error: unknown) => void,
): Promise<void> {
  try {
    await indexByScanning(warc, indexFolder);
  } catch (error) {
    warn(`WARC file ${warc.file} could not be indexed: ${(error as Error).message}`, error);
  }
}

async function cutDurably(path: string, bytes: number): Promise<void> {
  refuseOtherNames(path);
  const handle = await open(path, 'r+');
  try {
    await handle.truncate(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * How many bytes from the file's start hold whole captures: no record among them says that it is concurrent
 * to one that is not. 0 if there is nothing but warcinfo. `problem` says why the scan ended before the file's
 * end.
 */
async function scanCaptures(path: string): Promise<{ bytes: number; problem?: string }> {
  const handle = await open(path, 'r');
  const awaited = new Set<string>();
  const met = new Set<string>();
  let bytes = 0;
  try {
    for await (const { offset, length, record } of scanMembers(windowedRead(readHandle(handle)))) {
      const id = fieldOf(record, 'WARC-Record-ID') ?? '';
      const concurrent = fieldOf(record, 'WARC-Concurrent-To');
      const goesOn = concurrent !== undefined && met.has(concurrent);
      // Captures do not reach over one another, so that nothing after this place can ask for a record before
      // it.
      if (awaited.size === 0 && !goesOn) met.clear();
      if (concurrent !== undefined && !goesOn) awaited.add(concurrent);
      awaited.delete(id);
      met.add(id);
      if (awaited.size > 0) continue;
      if (bytes > 0 || fieldOf(record, 'WARC-Type') !== 'warcinfo') bytes = offset + length;
    }
    return { bytes };
  } catch (error) {
    if (error instanceof NotWarc) return { bytes, problem: error.message };
    throw error;
  } finally {
    await handle.close();
  }
}
