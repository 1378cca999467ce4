/** Looks lines up in a sorted file of lines, such as an index of captures, without reading all of it. */
import { type FileHandle, open } from 'node:fs/promises';

const PIECE_BYTES = 64 * 1024;
/** A longer one is no line of ours. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/**
 * Returns the lines that begin with `prefix`, without their line feeds. The file's lines are sorted by their bytes,
 * which are ASCII. Reads about 64 KB for each halving of the file: 1 MB of a file of 1 GB.
 */
export async function findLines(path: string, prefix: string): Promise<string[]> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    // Each line that begins before `low`, which is a line's beginning, comes before the prefix; none does from `high` on.
    let low = 0;
    let high = size;
    while (high - low > PIECE_BYTES) {
      const middle = low + Math.floor((high - low) / 2);
      const line = await lineFrom(handle, middle);
      if (line && line.at < high && line.text < prefix) low = line.end;
      else high = middle;
    }
    return await linesWith(handle, low, prefix);
  } finally {
    await handle.close();
  }
}

interface PlacedLine {
  readonly at: number;
  /** The place after its line feed. */
  readonly end: number;
  readonly text: string;
}

/** The first line that begins at `at` or after it. */
async function lineFrom(handle: FileHandle, at: number): Promise<PlacedLine | undefined> {
  for (let bytes = PIECE_BYTES; bytes <= 2 * MAX_LINE_BYTES; bytes *= 4) {
    const text = await readText(handle, at - 1, bytes);
    const before = text.indexOf('\n');
    const end = before < 0 ? -1 : text.indexOf('\n', before + 1);
    if (end >= 0) return { at: at + before, end: at + end, text: text.slice(before + 1, end) };
    if (text.length < bytes) return undefined;
  }
  throw new Error(`Expected lines of at most ${MAX_LINE_BYTES} bytes`);
}

async function linesWith(handle: FileHandle, from: number, prefix: string): Promise<string[]> {
  const found: string[] = [];
  let rest = '';
  for (let at = from; ; ) {
    const piece = await readText(handle, at, PIECE_BYTES);
    at += piece.length;
    const lines = (rest + piece).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) {
      if (line.startsWith(prefix)) found.push(line);
      else if (line > prefix) return found;
    }
    if (piece.length === 0 || rest.length > MAX_LINE_BYTES) return found;
  }
}

async function readText(handle: FileHandle, at: number, bytes: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(bytes), 0, bytes, at);
  return buffer.toString('latin1', 0, bytesRead);
}
