/** Files of a graph, written and read line by line. */
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { halves } from '../../shared/services/exports/graph-lines.ts';

const PIECE_CHARS = 256 * 1024;

/** Writes lines, each with its line feed, of ASCII. */
export async function writeGzipped(path: string, lines: AsyncIterable<string>): Promise<void> {
  await pipeline(Readable.from(pieces(lines)), createGzip(), createWriteStream(path, { flags: 'wx' }));
}

export async function writePlain(path: string, lines: AsyncIterable<string>): Promise<void> {
  await pipeline(Readable.from(pieces(lines)), createWriteStream(path, { flags: 'wx' }));
}

async function* pieces(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let text = '';
  for await (const line of lines) {
    text += line;
    if (text.length < PIECE_CHARS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/** The lines of a file of {@link writeGzipped}, each split at its tabulator. */
export async function* readGzipped(path: string): AsyncGenerator<readonly [string, string]> {
  const file = createReadStream(path);
  const lines = createInterface({ input: file.pipe(createGunzip()), crlfDelay: Number.POSITIVE_INFINITY });
  try {
    for await (const line of lines) yield halves(line);
  } finally {
    lines.close();
    file.destroy();
  }
}
