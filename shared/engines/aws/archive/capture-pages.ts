/**
 * The captures of a crawl's archive by URL, a page at a time. First come the files that are not joined yet: those that may
 * hold such captures, as their filters say, are read from end to end. Then the indexes of the joined ones, in which lines are searched, in the order in which they were
 * made. So a file that is joined between two pages is found at one of these places, and perhaps at both.
 */
import QuickLRU from 'quick-lru';
import { filterKeyOf, mayHold } from '../../../core/archive/capture-filter.ts';
import { cdxjLine, scanCaptures } from '../../../core/archive/cdxj.ts';
import { type IndexedCapture, parseCdxjLine } from '../../../core/archive/parse-cdxj-line.ts';
import { NotWarc } from '../../../core/archive/read-warc.ts';
import type { ReadAt } from '../../../core/archive/scan-members.ts';
import { linesBetween } from '../../../core/archive/search-lines.ts';
import { windowedRead } from '../../../core/archive/windowed-read.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { CapturePlace, CapturesAsked, CapturesFound } from '../../../services/control/captures.ts';
import type { Table } from '../table/table.ts';
import { capturesIn, FILTERED_BYTES } from './archive-object.ts';
import { warcFolder } from './archives.ts';
import { indexName } from './compact-layout.ts';
import { type FolderContext, listFiles } from './compact-objects.ts';
import { isMissing } from './is-missing.ts';
import { joinedSources } from './joined-warcs.ts';
import { readRange } from './read-range.ts';

export interface CapturePagesContext extends Omit<FolderContext, 'folder' | 'clock'> {
  readonly clock: Clock;
  readonly mapping: Table;
}

/** A page reads for this long, and this much of files that are not joined, until it has one file more. */
const READ_MS = 10_000;
const READ_BYTES = 64 * 1024 * 1024;
/** Pieces of indexes that are kept: of these, searches read the same ones again and again. */
const PIECE_BYTES = 64 * 1024;
const MAX_PIECES = 256;
/** Files that are looked up in DynamoDB together, and in S3 side by side. */
const ASKED_TOGETHER = 25;

interface ListedFile {
  readonly file: string;
  readonly bytes: number;
  readonly modifiedAt: number;
}

/** Reads at most one page. Files never change, so that pieces of them are kept by name. */
export class CapturePages {
  readonly #context: CapturePagesContext;
  readonly #pieces = new QuickLRU<string, Promise<Uint8Array>>({ maxSize: MAX_PIECES });

  constructor(context: CapturePagesContext) {
    this.#context = context;
  }

  async page(crawl: CrawlId, asked: CapturesAsked): Promise<CapturesFound> {
    const page = new Page(asked, this.#context.clock.now() + READ_MS);
    const folder = { ...this.#context, folder: `${warcFolder(crawl)}/` };
    const next =
      (asked.place?.madeAt === undefined ? await this.#unjoined(crawl, folder, page) : undefined) ??
      (await this.#joined(folder, page));
    return { captures: page.sorted(), damaged: page.damaged, next };
  }

  /** Returns the cursor at the page's end; undefined after the last file. */
  async #unjoined(crawl: CrawlId, folder: FolderContext, page: Page): Promise<CapturePlace | undefined> {
    const { place } = page.asked;
    const files = await listed(folder);
    const names = new Set(files.map(({ file }) => file));
    const sources = files.filter(
      ({ file }) => file.endsWith('.warc.gz') && !isJoined(file) && !names.has(indexName(file)),
    );
    const left = sources.filter(({ file }) => place === undefined || file >= place.file);
    const startOf = ({ file }: ListedFile) => (file === place?.file ? place.at : 0);
    for (let i = 0; i < left.length; i += ASKED_TOGETHER) {
      const batch = left.slice(i, i + ASKED_TOGETHER);
      const [first] = batch as [ListedFile];
      if (page.isOver(this.#context.clock.now())) return { file: first.file, at: startOf(first) };
      const joined = await joinedSources(
        this.#context.mapping,
        crawl,
        batch.map(({ file }) => file),
      );
      const unjoined = batch.filter(({ file }) => !joined.has(file));
      const skipped = await this.#withoutAny(folder, unjoined, page);
      for (const source of unjoined) {
        const start = startOf(source);
        if (skipped.has(source.file)) {
          page.step();
          continue;
        }
        if (page.isOver(this.#context.clock.now())) return { file: source.file, at: start };
        const at = await this.#scan(folder, source, start, page);
        if (at !== undefined) return { file: source.file, at };
        page.step();
      }
    }
    return undefined;
  }

  /** Returns the files that cannot hold the requested captures. Makes a request for each but small ones. */
  async #withoutAny(
    folder: FolderContext,
    files: readonly ListedFile[],
    { asked }: Page,
  ): Promise<ReadonlySet<string>> {
    const key = filterKeyOf(asked);
    if (key === undefined) return new Set();
    const found = await Promise.all(
      files.map(async ({ file, bytes }) => {
        if (bytes < FILTERED_BYTES) return [];
        try {
          return mayHold(await capturesIn(folder, folder.folder + file), key) ? [] : [file];
        } catch (error) {
          // It was joined meanwhile: its captures are in an index.
          if (isMissing(error)) return [file];
          throw error;
        }
      }),
    );
    return new Set(found.flat());
  }

  /** Returns the offset at which the page ends; undefined if the file is read. */
  async #scan(
    folder: FolderContext,
    { file, bytes }: ListedFile,
    start: number,
    page: Page,
  ): Promise<number | undefined> {
    const read = windowedRead((offset, length) =>
      readRange(folder, file, offset, Math.min(bytes, offset + length)),
    );
    let at = start;
    try {
      for await (const capture of scanCaptures(read, start)) {
        if (page.isOver(this.#context.clock.now())) return at;
        const { offset, length } = capture;
        page.readBytes += offset + length - at;
        at = offset + length;
        page.add(cdxjLine(capture, file).trimEnd());
      }
    } catch (error) {
      if (error instanceof NotWarc) page.damaged.push(file);
      // It was joined meanwhile: its captures are in an index.
      else if (!isMissing(error)) throw error;
    }
    return undefined;
  }

  async #joined(folder: FolderContext, page: Page): Promise<CapturePlace | undefined> {
    const { place, from, below } = page.asked;
    const after = place?.madeAt === undefined ? undefined : { ...place, madeAt: place.madeAt };
    const indexes = (await listed(folder))
      .filter(({ file }) => file.endsWith('.cdxj'))
      .sort((a, b) => a.modifiedAt - b.modifiedAt || (a.file < b.file ? -1 : 1));
    for (const { file, bytes, modifiedAt } of indexes) {
      if (after && (modifiedAt - after.madeAt || (file < after.file ? -1 : 0)) < 0) continue;
      let at = file === after?.file ? after.at : 0;
      const end = () => ({ file, at, madeAt: modifiedAt });
      if (page.isOver(this.#context.clock.now())) return end();
      const read = this.#pieceReader(folder, file, bytes);
      for await (const line of linesBetween(read, bytes, { from, below }, at || undefined)) {
        if (page.isOver(this.#context.clock.now())) return { ...end(), at: line.at };
        page.add(line.text);
        at = line.end;
      }
      page.step();
    }
    return undefined;
  }

  /** Reads whole pieces, and keeps them. */
  #pieceReader(folder: FolderContext, file: string, bytes: number): ReadAt {
    const pieceAt = (start: number): Promise<Uint8Array> => {
      const key = `${folder.folder}${file} ${start}`;
      const kept = this.#pieces.get(key);
      if (kept) return kept;
      const piece = readRange(folder, file, start, Math.min(bytes, start + PIECE_BYTES));
      this.#pieces.set(key, piece);
      piece.catch(() => this.#pieces.delete(key));
      return piece;
    };
    return async (offset, length) => {
      const end = Math.min(bytes, offset + length);
      const parts: Uint8Array[] = [];
      for (let at = offset; at < end; ) {
        const start = at - (at % PIECE_BYTES);
        const part = (await pieceAt(start)).subarray(at - start, end - start);
        parts.push(part);
        at += part.length;
      }
      return Buffer.concat(parts);
    };
  }
}

/** The captures of one page, and how far it may go. */
class Page {
  readonly asked: CapturesAsked;
  readonly damaged: string[] = [];
  readBytes = 0;
  readonly #deadline: number;
  readonly #captures: IndexedCapture[] = [];
  #isBegun = false;

  constructor(asked: CapturesAsked, deadline: number) {
    this.asked = asked;
    this.#deadline = deadline;
  }

  /** Never before the page has gone one step: otherwise pages might not get any further. */
  isOver(now: number): boolean {
    if (this.#captures.length >= this.asked.limit) return true;
    const isLate = now >= this.#deadline || this.readBytes >= READ_BYTES;
    return isLate && this.#isBegun;
  }

  step(): void {
    this.#isBegun = true;
  }

  /** Takes a line of an index if it is requested. */
  add(line: string): void {
    this.step();
    const { from, below, first = '', last = '9' } = this.asked;
    if (line < from || line >= below) return;
    const capture = parseCdxjLine(line, 'the archive');
    const { timestamp } = capture;
    if (timestamp >= first && timestamp <= last) this.#captures.push(capture);
  }

  sorted(): readonly IndexedCapture[] {
    const key = ({ surt, timestamp }: IndexedCapture) => `${surt} ${timestamp}`;
    return this.#captures.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
  }
}

const isJoined = (file: string): boolean => file.startsWith('joined-');

async function listed(folder: FolderContext): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  for await (const page of listFiles(folder)) files.push(...page);
  return files;
}
