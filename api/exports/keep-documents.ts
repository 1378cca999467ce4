/** The documents of a crawl as a file in its folder, brought up to date as often as wanted: `documents.jsonl`. */
import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { linesOfFile } from '../../shared/engines/local/lines-of-file.ts';
import type { DocumentRow } from '../../shared/services/outputs/document-row.ts';
import type { DocumentOptions } from '../stored-crawl.ts';

export interface KeptDocuments {
  /** Documents in the file. */
  readonly documents: number;
  /** Documents that this call has made. */
  readonly added: number;
  /** Pages that could not be read. */
  readonly skipped: number;
}

interface DocumentSource {
  documents(options?: DocumentOptions): AsyncIterable<DocumentRow>;
}

/** A line of the file as it was before. */
interface OldLine {
  readonly at: number;
  readonly bytes: number;
  readonly capture: string;
}

/**
 * Brings the file at `path` up to date: a line of JSON for each page that has a document now. Only those of pages that are new
 * or were fetched again are made; the other lines are copied, and those of pages that are gone are left out. The file gets its
 * name when it is whole and durable: a process that is killed meanwhile leaves the one before. `unfinished`: its name
 * until then. Holds some 200 bytes of memory for each page.
 */
export async function keepDocuments(
  { documents }: DocumentSource,
  path: string,
  unfinished: string,
  skip: (url: string, reason: string) => void = () => {},
): Promise<KeptDocuments> {
  const before = await linesIn(path);
  const kept: OldLine[] = [];
  let added = 0;
  let skipped = 0;
  const isWanted: DocumentOptions['isWanted'] = (page) => {
    const line = before.lines.get(page.url);
    if (line?.capture !== captureOf(page)) return true;
    kept.push(line);
    return false;
  };
  const onSkip = (url: string, reason: string) => {
    skipped++;
    skip(url, reason);
  };
  async function* lines(): AsyncGenerator<string | Buffer> {
    for await (const document of documents({ isWanted, skip: onSkip })) {
      added++;
      yield `${JSON.stringify(document)}\n`;
    }
    if (kept.length > 0) yield* oldLines(path, kept);
  }
  try {
    await pipeline(lines, createWriteStream(unfinished, { flush: true }));
    const isSame = before.isWhole && added === 0 && kept.length === before.lines.size;
    if (!isSame) await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
  return { documents: added + kept.length, added, skipped };
}

/** Yields the documents in the file. */
export async function* keptDocuments(path: string): AsyncGenerator<DocumentRow> {
  for await (const { text } of linesOfFile(path)) yield JSON.parse(text) as DocumentRow;
}

const captureOf = ({ location }: Pick<DocumentRow, 'location'>): string =>
  `${location?.file} ${location?.offset}`;

/** The lines of the file by URL. `isWhole`: each of its bytes is of one of them. */
async function linesIn(path: string): Promise<{ lines: Map<string, OldLine>; isWhole: boolean }> {
  const lines = new Map<string, OldLine>();
  let isWhole = true;
  let end = 0;
  try {
    for await (const { text, at, bytes } of linesOfFile(path)) {
      const row = parsed(text);
      if (row && !lines.has(row.url)) lines.set(row.url, { at, bytes, capture: captureOf(row) });
      else isWhole = false;
      end = at + bytes;
    }
    if ((await stat(path)).size !== end) isWhole = false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    isWhole = false;
  }
  return { lines, isWhole };
}

function parsed(line: string): DocumentRow | undefined {
  try {
    const row = JSON.parse(line) as DocumentRow | null;
    return typeof row?.url === 'string' ? row : undefined;
  } catch {
    return undefined;
  }
}

/** Lines that stand one after the other are read together, up to this size. */
const MAX_READ_BYTES = 4 << 20;

async function* oldLines(path: string, lines: OldLine[]): AsyncGenerator<Buffer> {
  lines.sort((a, b) => a.at - b.at);
  const file = await open(path);
  try {
    for (let n = 0; n < lines.length; ) {
      const from = (lines[n] as OldLine).at;
      let end = from;
      for (; n < lines.length && lines[n]?.at === end && (end === from || end - from < MAX_READ_BYTES); n++)
        end += (lines[n] as OldLine).bytes;
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(end - from), 0, end - from, from);
      if (bytesRead < end - from)
        throw new Error(`Expected ${end} bytes in ${path}, got ${from + bytesRead}`);
      yield buffer;
    }
  } finally {
    await file.close();
  }
}
