/** Readers of WARC, CDXJ and item files, whoever wrote them. Each reads from front to back, and holds some megabytes. */
import type { CheckedWarc, WarcFault } from '../shared/archive/check-warc.ts';
import type { Item } from '../shared/project/project.ts';
import type { IndexedCapture, StoredRecord, WarcRecordInfo } from './archive-types.ts';
import type { ReadRecordOptions } from './stored-crawl.ts';

export type { CheckedWarc, WarcFault } from '../shared/archive/check-warc.ts';

/** A record of a WARC file. */
export interface ScannedRecord extends WarcRecordInfo {
  /** Where its gzip member begins in the file, and its length in bytes. */
  readonly offset: number;
  readonly length: number;
  /** Reads the content, while the file is being iterated. Throws `RangeError` if it is larger than `maxBytes`. */
  read(options?: ReadRecordOptions): Promise<StoredRecord>;
}

export interface CheckedFile extends CheckedWarc {
  readonly errors: number;
  readonly warnings: number;
  /** The first thousand. */
  readonly faults: readonly WarcFault[];
}

/**
 * Yields the records of a `.warc.gz` file, in which each record is a gzip member of its own (ISO 28500, annex D). Throws
 * `NotWarc` at the first record that is damaged or cut.
 */
export async function* readWarc(path: string): AsyncGenerator<ScannedRecord, void, undefined> {
  yield* (await import('./local/readers.ts')).readWarc(path);
}

/** Yields the captures of a `.cdxj` or `.cdxj.gz` file. Throws `SyntaxError` at a line that is none. */
export async function* readCdxj(path: string): AsyncGenerator<IndexedCapture, void, undefined> {
  yield* (await import('./local/readers.ts')).readCdxj(path);
}

/** Yields the values of a file of JSON lines (`.jsonl`, `.jsonl.gz`). Throws `SyntaxError` at a line that is none. */
export async function* readItems<T = Item>(path: string): AsyncGenerator<T, void, undefined> {
  yield* (await import('./local/readers.ts')).readItems<T>(path);
}

/** Checks a WARC file as `strand warc check` does: what it holds, and all that is wrong with it. */
export async function checkWarc(path: string): Promise<CheckedFile> {
  return (await import('./local/readers.ts')).checkWarc(path);
}
