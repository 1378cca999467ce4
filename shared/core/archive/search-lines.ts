/** Looks lines up in sorted text, such as an index of captures, without reading all of it. */
import type { KeyRange } from './capture-query.ts';
import type { ReadAt } from './scan-members.ts';

const PIECE_BYTES = 64 * 1024;
/** Most lines are shorter by far. */
const USUAL_LINE_BYTES = 4096;
/** A longer line is not one of ours. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

export interface PlacedLine {
  /** Without its line feed. */
  readonly text: string;
  /** Its start, and the offset after its line feed. */
  readonly at: number;
  readonly end: number;
}

/**
 * Yields the lines from `from` on that come before `below`. The lines are sorted by their bytes, which are ASCII. Reads
 * some KB for each halving of the text. `start`: the beginning of a line from which on to read instead,
 * without a search.
 */
export async function* linesBetween(
  read: ReadAt,
  size: number,
  { from, below }: KeyRange,
  start?: number,
): AsyncGenerator<PlacedLine, void, undefined> {
  for await (const line of linesFrom(read, start ?? (await placeOf(read, size, from)))) {
    if (line.text >= below) return;
    if (line.text >= from) yield line;
  }
}

/**
 * Yields the lines that come after `after`, with their line feeds, a piece of the text at a time: for reading all of it.
 * `after`: a line with its line feed, or nothing.
 */
export async function* linesAfter(
  read: ReadAt,
  size: number,
  after: string,
  pieceBytes: number,
): AsyncGenerator<readonly string[], void, undefined> {
  let rest = '';
  let isPast = after === '';
  for (let at = isPast ? 0 : await placeOf(read, size, after); at < size; ) {
    const piece = await readText(read, at, Math.min(pieceBytes, size - at));
    if (piece.length === 0) return;
    at += piece.length;
    const lines = (rest + piece).split(/(?<=\n)/);
    rest = lines.at(-1)!.endsWith('\n') ? '' : lines.pop()!;
    if (rest.length > MAX_LINE_BYTES) throw new Error(`Expected lines of at most ${MAX_LINE_BYTES} bytes`);
    const behind = isPast ? lines : lines.filter((line) => line > after);
    isPast ||= behind.length > 0;
    if (behind.length > 0) yield behind;
  }
}

/** A line's beginning at or before the first line that does not come before `from`, at most a piece before it. */
async function placeOf(read: ReadAt, size: number, from: string): Promise<number> {
  // Each line that begins before `low`, which is a line's beginning, comes before it; none does from `high` on.
  let low = 0;
  let high = size;
  while (high - low > PIECE_BYTES) {
    const middle = low + Math.floor((high - low) / 2);
    const line = await lineAfter(read, middle);
    if (line && line.at < high && line.text < from) low = line.end;
    else high = middle;
  }
  return low;
}

/** The first line that begins at `at` or after it. */
async function lineAfter(read: ReadAt, at: number): Promise<PlacedLine | undefined> {
  for (let bytes = USUAL_LINE_BYTES; bytes <= 2 * MAX_LINE_BYTES; bytes *= 8) {
    const text = await readText(read, at - 1, bytes);
    const before = text.indexOf('\n');
    const end = before < 0 ? -1 : text.indexOf('\n', before + 1);
    if (end >= 0) return { at: at + before, end: at + end, text: text.slice(before + 1, end) };
    if (text.length < bytes) return undefined;
  }
  throw new Error(`Expected lines of at most ${MAX_LINE_BYTES} bytes`);
}

async function* linesFrom(read: ReadAt, from: number): AsyncGenerator<PlacedLine, void, undefined> {
  let rest = '';
  let lineAt = from;
  for (let at = from; ; ) {
    const piece = await readText(read, at, PIECE_BYTES);
    at += piece.length;
    const lines = (rest + piece).split('\n');
    rest = lines.pop() as string;
    for (const text of lines) {
      const end = lineAt + text.length + 1;
      yield { text, at: lineAt, end };
      lineAt = end;
    }
    if (piece.length === 0 || rest.length > MAX_LINE_BYTES) return;
  }
}

async function readText(read: ReadAt, at: number, bytes: number): Promise<string> {
  const { buffer, byteOffset, length } = await read(at, bytes);
  return Buffer.from(buffer, byteOffset, length).toString('latin1');
}
