/**
 * Readers of WARC, CDXJ and item files of any program. Each reads from front to back, and holds some
 * megabytes.
 */
import type { Item } from '../shared/services/project/project.ts';
import type { CheckedFile, IndexedCapture, ScannedRecord } from './archive-types.ts';

/**
 * Yields the records of a WARC file: one in which each record is a gzip member of its own (ISO 28500, annex D), or one that is
 * not compressed. Throws `NotWarc` at the first record that is damaged or cut.
 */
export async function* readWarc(path: string): AsyncGenerator<ScannedRecord, void, undefined> {
  yield* (await import('./local/readers.ts')).readWarc(path);
}

/** Yields the captures of a `.cdxj` or `.cdxj.gz` file. Throws `SyntaxError` at a line that is none. */
export async function* readCdxj(path: string): AsyncGenerator<IndexedCapture, void, undefined> {
  yield* (await import('./local/readers.ts')).readCdxj(path);
}

/**
 * Yields the values of a file of JSON lines (`.jsonl`, `.jsonl.gz`). Throws `SyntaxError` at a line that is
 * none.
 */
export async function* readItems<T = Item>(path: string): AsyncGenerator<T, void, undefined> {
  yield* (await import('./local/readers.ts')).readItems<T>(path);
}

/** Checks a WARC file as `strand warc check` does: what it holds, and all that is wrong with it. */
export async function checkWarc(path: string): Promise<CheckedFile> {
  return (await import('./local/readers.ts')).checkWarc(path);
}
