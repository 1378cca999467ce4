/**
 * A sorted index in compressed blocks, with a summary that says which lines are in which block: to look a URL
 * up, a reader loads the summary and one block ("ZipNum"; the form `cdxj-gzip-1.0` that WACZ names).
 */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface ZipNum {
  /** Gzip members, one for each block. To be iterated once. */
  blocks(): AsyncGenerator<Uint8Array>;
  /** The text of the summary. Call it after the last block. */
  summary(): string;
}

export interface ZipNumOptions {
  readonly linesPerBlock?: number;
  /** The bytes of blocks that precede these in the file, whose summary has been made. Default: none. */
  readonly offset?: number;
}

/** As pywb writes them. A block of captures has some 60 KB. */
const LINES = 3000;

const compress = promisify(gzip);

/**
 * `lines`: sorted, with their ends. `file`: what the file of the blocks is called. Holds one block, and a
 * line of each.
 */
export function createZipNum(
  lines: AsyncIterable<string>,
  file: string,
  { linesPerBlock = LINES, offset: start = 0 }: ZipNumOptions = {},
): ZipNum {
  const filename = JSON.stringify(file);
  // With the spaces of the specification's examples: there are readers that match texts.
  const entries = start > 0 ? [] : [`!meta 0 {"format": "cdxj-gzip-1.0", "filename": ${filename}}\n`];
  let offset = start;

  const pack = async (block: readonly string[]): Promise<Uint8Array> => {
    const bytes = await compress(block.join(''));
    const digest = hash('sha256', bytes);
    const place = `"offset": ${offset}, "length": ${bytes.length}, "digest": "sha256:${digest}"`;
    entries.push(`${keyOf(block[0]!)} {${place}, "filename": ${filename}}\n`);
    offset += bytes.length;
    return bytes;
  };

  return {
    async *blocks() {
      let block: string[] = [];
      for await (const line of lines) {
        if (block.push(line) < linesPerBlock) continue;
        yield await pack(block);
        block = [];
      }
      if (block.length > 0) yield await pack(block);
    },
    summary: () => entries.join(''),
  };
}

/** `SURT TIMESTAMP` of a line. */
const keyOf = (line: string): string => line.slice(0, line.indexOf(' ', line.indexOf(' ') + 1));
