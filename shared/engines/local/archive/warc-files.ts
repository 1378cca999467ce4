/**
 * The WARC files of a crawl's folder for reading, as far as they are durable, while another process may add
 * to them.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { JoinedSource } from '../../../core/archive/joined-source.ts';
import type { RecordLocation } from '../../../core/archive/record-location.ts';
import type { ReadAt } from '../../../core/archive/scan-members.ts';
import type { WaczWarc } from '../../../core/archive/wacz.ts';
import { foldersOf } from '../folders.ts';
import { listWarcFiles, sizeOf, type WarcFileEntry } from './archive-names.ts';
import { readJoinedFiles } from './joined-files.ts';
import { readHandle } from './read-handle.ts';
import { durableBytes } from './warc-journal.ts';

export interface WarcFiles {
  /** By name. */
  readonly list: readonly WaczWarc[];
  /** Whether the record lies in the part of its file that is taken. */
  has(location: RecordLocation): boolean;
  /** Also of a file that was joined into one of the list. */
  reader(file: string): ReadAt;
  close(): Promise<void>;
}

/** Files open at a time: pages of a host are spread over few. */
const MAX_OPEN = 16;
const PIECE_BYTES = 256 * 1024;

/** Records added from now on are not taken. */
export async function openWarcFiles(dir: string): Promise<WarcFiles> {
  const folder = foldersOf(dir).archive;
  const sizes = new Map<string, number>();
  const paths = new Map<string, string>();
  const entries = await listWarcFiles(folder);
  // Asked for after the files: one that is open and not known here was closed meanwhile, and is whole.
  const durable = durableBytes(foldersOf(dir).database);
  for (const entry of entries) {
    const bytes = await bytesOf(entry, folder, durable);
    if (bytes === 0) continue;
    sizes.set(entry.file, bytes);
    paths.set(entry.file, entry.path);
  }

  /** The one used last is the last. Promises: reads of one file that begin together open it once. */
  const handles = new Map<string, Promise<FileHandle>>();
  const handleOf = (file: string): Promise<FileHandle> => {
    const handle = handles.get(file) ?? openEither(paths.get(file)!, join(folder, file));
    handles.delete(file);
    handles.set(file, handle);
    // It may be there at the next try.
    handle.catch(() => handles.delete(file));
    const [oldest] = handles;
    if (handles.size > MAX_OPEN && oldest) {
      handles.delete(oldest[0]);
      oldest[1].then((old) => old.close()).catch(() => {});
    }
    return handle;
  };
  const joined = readJoinedFiles(foldersOf(dir).database);
  const reader = (file: string): ReadAt => {
    const source = joined.get(file);
    if (source && !sizes.has(file)) return within(reader(source.file), source);
    return async (offset, length) => readHandle(await handleOf(file), sizes.get(file)!)(offset, length);
  };

  return {
    list: [...sizes].map(([name, bytes]) => ({ name, bytes, read: () => piecesOf(reader(name)) })),
    has: ({ file, offset, length }) => offset + length <= (sizes.get(file) ?? joined.get(file)?.bytes ?? 0),
    reader,
    async close() {
      const open = [...handles.values()];
      handles.clear();
      for (const handle of open) await (await handle.catch(() => undefined))?.close();
    },
  };
}

/** Reads a file that was joined, in the file that holds it. */
const within =
  (read: ReadAt, { offset: start, bytes }: JoinedSource): ReadAt =>
  (offset, length) =>
    read(start + offset, Math.max(0, Math.min(length, bytes - offset)));

async function bytesOf(
  { file, bytes, isOpen }: WarcFileEntry,
  folder: string,
  durable: ReadonlyMap<string, number>,
): Promise<number> {
  if (!isOpen) return bytes;
  return durable.get(file) ?? (await sizeOf(join(folder, file))) ?? 0;
}

async function openEither(path: string, closedPath: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return open(closedPath, 'r');
  }
}

async function* piecesOf(read: ReadAt): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const piece = await read(at, PIECE_BYTES);
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}
