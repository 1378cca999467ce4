/** The destination of an export: its files, and what it keeps between the slices of its work. */
import type { ReadAt } from '../../core/archive/scan-members.ts';

export interface ExportStore {
  /**
   * A file of the export. It is not there before `complete` resolves, and replaces an earlier one of that name.
   * `maxBytes`: what it may need.
   */
  create(name: string, maxBytes?: number): ExportFile;
  /** Continues a file. `paused`: of {@link ExportFile.pause}, in an earlier slice. */
  resume(paused: unknown): ExportFile;
  putResult(name: string, body: Uint8Array): Promise<void>;
  putWork(name: string, body: Uint8Array): Promise<void>;
  /** The first `bytes` bytes of it. */
  readWork(name: string, bytes: number): Promise<Uint8Array>;
  workReader(name: string, bytes: number): ReadAt;
  /** Returns the bytes that the compressed value takes. */
  putJson(name: string, value: unknown): Promise<number>;
  readJson<T>(name: string, bytes: number): Promise<T>;
  readWholeJson<T>(name: string): Promise<T>;
  /** Deletes all that the export has kept. */
  deleteAllWork(): Promise<void>;
  deleteWork(names: readonly string[]): Promise<void>;
}

/** A file that is being written. Calls must not overlap. */
export interface ExportFile {
  /** All that was added. */
  readonly bytes: number;
  /** Keeps the bytes as they are: they must not change. */
  add(bytes: Uint8Array): Promise<void>;
  complete(): Promise<void>;
  /** The state with which a later slice continues, as JSON. Nothing may be added after it. */
  pause(): Promise<unknown>;
  /** Drops the file. Never rejects. */
  abort(): Promise<void>;
}
