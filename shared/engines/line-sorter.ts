/** Lines of text that are sorted, and read back, without being held in memory all at once. */
import { open, rm, writeFile } from 'node:fs/promises';
import { mergeSorted, mergeSortedPieces } from '../core/archive/merge-sorted.ts';

/** Lines that a sorter holds before it writes them out as a sorted run. Sorting them takes about 15 ms. */
const RUN_CHARS = 4 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
/** A longer line is not one of ours. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

export interface LineSorter {
  /**
   * Each line ends with a line feed, and is ASCII. Returns a promise if lines are written to a file: wait for it before
   * `sorted`.
   */
  add(line: string): Promise<void> | undefined;
  /** All that were added, in the order of their bytes. Called once, and nothing is added after. */
  sorted(): AsyncGenerator<string, void, undefined>;
  /** The same, some at a time. */
  sortedPieces(): AsyncGenerator<readonly string[], void, undefined>;
  /** Removes temporary files. Safe to repeat. */
  dispose(): Promise<void>;
}

/** `runPath`: where the n-th run may be written. Nothing is written if all lines fit into memory. */
export function createLineSorter(runPath: (n: number) => string, maxChars = RUN_CHARS): LineSorter {
  const runs: string[] = [];
  let lines: string[] = [];
  let chars = 0;
  const pieces = () => [...runs.map(readLines), once(lines.sort())];
  return {
    add(line) {
      lines.push(line);
      chars += line.length;
      if (chars < maxChars) return undefined;
      const path = runPath(runs.length);
      const text = lines.sort().join('');
      lines = [];
      chars = 0;
      runs.push(path);
      return writeFile(path, text, 'latin1');
    },
    sorted: () => mergeSorted(pieces()),
    sortedPieces: () => mergeSortedPieces(pieces()),
    async dispose() {
      lines = [];
      for (const path of runs.splice(0)) await rm(path, { force: true });
    },
  };
}

async function* once(lines: readonly string[]): AsyncGenerator<readonly string[]> {
  yield lines;
}

/**
 * The file's lines with their line feeds, some at a time. The file is open only while some of it is read, so
 * that any number of files can be read at once. Throws if a line is too long, or the last one has no end.
 */
export async function* readLines(path: string): AsyncGenerator<readonly string[], void, undefined> {
  let rest = '';
  for (let at = 0; ; ) {
    const piece = await readAt(path, at);
    if (piece.length === 0) break;
    at += piece.length;
    const lines = (rest + piece.toString('latin1')).split(/(?<=\n)/);
    rest = lines.at(-1)!.endsWith('\n') ? '' : lines.pop()!;
    if (rest.length > MAX_LINE_BYTES) break;
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') throw new Error(`Expected lines in ${path}, got ${rest.length} bytes without an end`);
}

async function readAt(path: string, at: number): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, at);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
