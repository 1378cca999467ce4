/** The archive of a stack's crawl in S3, for reading. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cdxjLine, scanCaptures } from '../../shared/archive/cdxj.ts';
import { mergeSorted } from '../../shared/archive/merge-sorted.ts';
import { NotWarc } from '../../shared/archive/read-warc.ts';
import type { RecordLocation } from '../../shared/archive/record-location.ts';
import type { ReadAt } from '../../shared/archive/scan-members.ts';
import type { CrawlId } from '../../shared/crawl/crawl-id.ts';
import { warcFolder } from '../../shared/engines/aws/archive/archives.ts';
import { indexName, isSourceName, type Source } from '../../shared/engines/aws/archive/compact-layout.ts';
import {
  createReader,
  type FolderContext,
  listFiles,
  readRange,
  sizeOf,
} from '../../shared/engines/aws/archive/compact-objects.ts';
import { isMissing } from '../../shared/engines/aws/archive/is-missing.ts';
import {
  type JoinedOptions,
  joinedSources,
  resolveLocation,
} from '../../shared/engines/aws/archive/joined-warcs.ts';
import { createLineSorter } from '../../shared/engines/local/archive/sorted-lines.ts';

export interface StackArchiveContext extends Omit<FolderContext, 'folder'> {
  readonly mapping: JoinedOptions;
}

export interface StackArchive {
  /** Yields the lines of the index, each with its line feed, sorted. */
  cdxj(warn?: (message: string) => void): AsyncGenerator<string, void, undefined>;
  /** Returns where a record stands now, and how its file is read. Throws `RangeError` if it is not there. */
  open(location: RecordLocation): Promise<{ readonly location: RecordLocation; readonly read: ReadAt }>;
}

/** How often the list is taken again because the compactor has joined some of its files meanwhile. */
const ATTEMPTS = 4;
const noStep = async () => {};

/** `run`: pays for a call. */
export function createStackArchive(
  { mapping, ...context }: StackArchiveContext,
  crawl: CrawlId,
  run: <T>(call: () => Promise<T>) => Promise<T>,
): StackArchive {
  const folder: FolderContext = { ...context, folder: `${warcFolder(crawl)}/` };

  /**
   * The files that hold the archive. Those that are known to be joined are left out before the list is taken
   * again, so that what is joined meanwhile comes twice rather than never.
   */
  async function listArchive() {
    const before = await allFiles(folder);
    const joined = await joinedSources(mapping, crawl, [...before.keys()].filter(isSourceName));
    const files = await allFiles(folder);
    const warcs = [...files].flatMap(([file, bytes]) =>
      file.endsWith('.warc.gz') && !joined.has(file) ? [{ file, bytes }] : [],
    );
    return { files, warcs };
  }

  /** Holds nothing: each piece is a request. */
  const readerOf =
    (file: string, bytes: number): ReadAt =>
    (offset, length) =>
      run(() => readRange(folder, file, offset, Math.min(bytes, offset + length)));

  /** Adds the captures of a file that has no index. Of a damaged file, those before the damage. */
  async function scan(source: Source, add: (line: string) => Promise<void>, warn: (message: string) => void) {
    try {
      for await (const capture of scanCaptures(createReader(folder, source, noStep)))
        await add(cdxjLine(capture, source.file));
    } catch (error) {
      if (!(error instanceof NotWarc)) throw error;
      warn(`WARC file ${source.file} is damaged, and read up to there: ${error.message}`);
    }
  }

  async function* cdxj(warn: (message: string) => void = () => {}): AsyncGenerator<string, void, undefined> {
    const temporary = await mkdtemp(join(tmpdir(), 'strand-cdxj-'));
    try {
      for (let attempt = 1; ; attempt++) {
        const { files, warcs } = await run(listArchive);
        const sorter = createLineSorter((n) => join(temporary, `run-${attempt}-${n}`));
        const hasIndex = ({ file }: Source) => files.has(indexName(file));
        try {
          for (const source of warcs.filter((one) => !hasIndex(one)))
            await run(() => scan(source, sorter.add, warn));
        } catch (error) {
          await sorter.dispose();
          if (!isMissing(error) || attempt === ATTEMPTS) throw error;
          continue;
        }
        const indexes = warcs.filter(hasIndex).map(({ file }) => {
          const index = indexName(file);
          return linesOf(readerOf(index, files.get(index)!));
        });
        yield* mergeSorted([...indexes, singly(sorter.sorted())]);
        return;
      }
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }

  async function open(given: RecordLocation) {
    for (let attempt = 1; ; attempt++) {
      const location = await run(() => resolveLocation(mapping, crawl, given));
      const { file } = location;
      const bytes = await run(() => sizeOf(folder, file));
      if (bytes !== undefined && location.offset < bytes) {
        return { location, read: readerOf(file, bytes) };
      }
      // A file that is joined just now is deleted after its new place is known.
      if (bytes === undefined && attempt < ATTEMPTS) continue;
      throw new RangeError(`There is no record at ${given.offset} of ${given.file} in the crawl ${crawl}`);
    }
  }

  return { cdxj, open };
}

async function allFiles(folder: FolderContext): Promise<ReadonlyMap<string, number>> {
  const files = new Map<string, number>();
  for await (const page of listFiles(folder)) for (const { file, bytes } of page) files.set(file, bytes);
  return files;
}

async function* singly(lines: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  for await (const line of lines) yield [line];
}

const PIECE_BYTES = 256 * 1024;

/** The lines of an index, piece by piece, each line with its line feed. */
async function* linesOf(read: ReadAt): AsyncGenerator<readonly string[]> {
  let rest = '';
  for (let at = 0; ; ) {
    const piece = await read(at, PIECE_BYTES);
    if (piece.length === 0) break;
    at += piece.length;
    // An index is ASCII.
    const lines = (rest + Buffer.from(piece).toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    yield lines.map((line) => `${line}\n`);
  }
  if (rest !== '') yield [`${rest}\n`];
}
