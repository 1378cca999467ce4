import { createReadStream } from 'node:fs';

export interface FileLine {
  readonly text: string;
  readonly at: number;
  /** With its line feed. */
  readonly bytes: number;
}

const LINE_FEED = 10;

/** Yields the lines that have a line feed, from an offset up to another one. */
export async function* linesOfFile(
  path: string,
  start = 0,
  end = Number.POSITIVE_INFINITY,
): AsyncGenerator<FileLine> {
  if (start >= end) return;
  let rest: Buffer[] = [];
  let at = start;
  const file = createReadStream(path, { start, end: end - 1, highWaterMark: 1 << 20 });
  for await (const piece of file as AsyncIterable<Buffer>) {
    let from = 0;
    for (let to = piece.indexOf(LINE_FEED); to >= 0; to = piece.indexOf(LINE_FEED, from)) {
      const line = Buffer.concat([...rest, piece.subarray(from, to)]);
      yield { text: line.toString('utf8'), at, bytes: line.length + 1 };
      at += line.length + 1;
      rest = [];
      from = to + 1;
    }
    rest.push(piece.subarray(from));
  }
}
