/**
 * The WARC files of a crawl's folder for reading, as far as they are durable, while another process may add
 * to them.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordLocation } from '../../shared/archive/record-location.ts';
import type { ReadAt } from '../../shared/archive/scan-members.ts';
import type { WaczWarc } from '../../shared/archive/wacz.ts';
import {
  listWarcFiles,
  sizeOf,
  type WarcFileEntry,
} from '../../shared/engines/local/archive/archive-names.ts';
import { readHandle } from '../../shared/engines/local/archive/read-handle.ts';
import { durableBytes } from '../../shared/engines/local/archive/warc-journal.ts';
import { foldersOf } from '../../shared/engines/local/engine.ts';

export interface WarcFiles {
  /** By name. */
  readonly list: readonly WaczWarc[];
  /** Whether the record lies in what is taken of its file. */
  has(location: RecordLocation): boolean;
  reader(file: string): ReadAt;
  close(): Promise<void>;
}

/** Files open at a time: pages of a host are spread over few. */
const MAX_OPEN = 16;
const PIECE_BYTES = 256 * 1024;

/** Nothing is taken of what is added from now on. */
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

  /** The one used last is the last. */
  const handles = new Map<string, FileHandle>();
  const handleOf = async (file: string): Promise<FileHandle> => {
    const known = handles.get(file);
    handles.delete(file);
    const handle = known ?? (await openEither(paths.get(file)!, join(folder, file)));
    handles.set(file, handle);
    const [oldest] = handles;
    if (handles.size > MAX_OPEN && oldest) {
      handles.delete(oldest[0]);
      await oldest[1].close();
    }
    return handle;
  };
  const reader =
    (file: string): ReadAt =>
    async (offset, length) =>
      readHandle(await handleOf(file), sizes.get(file)!)(offset, length);

  return {
    list: [...sizes].map(([name, bytes]) => ({ name, bytes, read: () => piecesOf(reader(name)) })),
    has: ({ file, offset, length }) => offset + length <= (sizes.get(file) ?? 0),
    reader,
    async close() {
      for (const handle of handles.values()) await handle.close();
    },
  };
}

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
