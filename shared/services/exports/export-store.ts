/** The destination of an export: its files, and what it keeps between the slices of its work. */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { ReadAt } from '../../core/archive/scan-members.ts';

export interface ExportStore {
  /** Whether an export may have a file for each page. Otherwise these are in one ZIP file. */
  readonly hasFolders: boolean;
  /**
   * Creates a file of the export, with `/` between folders. It is not there before `complete` resolves, and replaces an
   * earlier one of that name. `maxBytes`: the most that it may need.
   */
  create(name: string, maxBytes?: number): ExportFile;
  /** Continues a file. `paused`: the result of {@link ExportFile.pause} in an earlier slice. */
  resume(paused: unknown): ExportFile;
  putWork(name: string, body: Uint8Array): Promise<void>;
  /** The first `bytes` bytes of it. Default: all. */
  readWork(name: string, bytes?: number): Promise<Uint8Array>;
  workReader(name: string, bytes: number): ReadAt;
  deleteWork(names: readonly string[]): Promise<void>;
  /** Deletes all that the export has kept. */
  deleteAllWork(): Promise<void>;
}

/** A file that is being written. Calls must not overlap. */
export interface ExportFile {
  /** All that was added. */
  readonly bytes: number;
  /** Keeps the bytes as they are: they must not change. */
  add(bytes: Uint8Array): Promise<void>;
  complete(): Promise<void>;
  /** Returns the state with which a later slice continues, as JSON. Nothing may be added after it. */
  pause(): Promise<unknown>;
  /** Drops a file that is not complete. Never rejects. */
  abort(): Promise<void>;
}

/** Stores a file of the export. Returns its bytes. */
export async function storeFile(
  store: ExportStore,
  name: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<number> {
  const file = store.create(name);
  try {
    for await (const chunk of chunks) await file.add(chunk);
    const { bytes } = file;
    await file.complete();
    return bytes;
  } catch (error) {
    await file.abort();
    throw error;
  }
}

/** Keeps a value. Returns the bytes that it takes. */
export async function putJson(store: ExportStore, name: string, value: unknown): Promise<number> {
  const body = gzipSync(JSON.stringify(value));
  await store.putWork(name, body);
  return body.length;
}

/** Reads a value of {@link putJson}. */
export const readJson = async <T>(store: ExportStore, name: string, bytes?: number): Promise<T> =>
  JSON.parse(gunzipSync(await store.readWork(name, bytes)).toString('utf8')) as T;
