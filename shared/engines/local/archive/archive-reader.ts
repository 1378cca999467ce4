/** The archive of a crawl's folder, for reading. */
import { type IndexedCapture, parseCdxjLine } from '../../../core/archive/parse-cdxj-line.ts';
import type { PayloadSource } from '../../../core/archive/payload-reader.ts';
import { type OpenedRecord, openRecord } from '../../../core/archive/read-member.ts';
import { readRendered } from '../../../core/archive/read-rendered.ts';
import { readResponse } from '../../../core/archive/read-response.ts';
import { readUsage } from '../../../core/archive/read-usage.ts';
import type { RecordLocation } from '../../../core/archive/record-location.ts';
import type { ReadAt } from '../../../core/archive/scan-members.ts';
import { mergedCdxj } from './cdxj-files.ts';
import { openWarcFiles, type WarcFiles } from './warc-files.ts';

/** A place where a record begins. */
type RecordStart = Pick<RecordLocation, 'file' | 'offset'>;

export interface ArchiveReader extends Pick<PayloadSource, 'readResponse' | 'readUsage'> {
  /**
   * The index at the time of the call. `warn` is called for each damaged file; its captures before the damage are
   * listed.
   */
  captures(warn?: (message: string) => void): AsyncIterable<IndexedCapture>;
  /** Returns the rendered form of the page whose response is there, if the crawl has kept one of at most `maxBytes`. */
  readRendered(url: string, location: RecordLocation, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Opens a record. Throws `NotWarc` where none begins, and `RangeError` if the file is not so long. */
  openRecord(start: RecordStart): Promise<OpenedRecord>;
  /** Returns the reader of the WARC file. Throws `RangeError` if the file has no byte at that offset. */
  readerAt(start: RecordStart): Promise<ReadAt>;
  close(): Promise<void>;
}

/** Opens no file before the first call. The crawl may go on: what it adds is found, too. */
export function openArchiveReader(folder: string): ArchiveReader {
  let files: Promise<WarcFiles> | undefined;

  /** The files as they are now, if the ones known hold no such place: the crawl may have continued. */
  async function readerAt({ file, offset }: RecordStart): Promise<ReadAt> {
    const has = (known: WarcFiles) => known.has({ file, offset, length: 1 });
    files ??= openWarcFiles(folder);
    const before = files;
    const known = await before;
    if (has(known)) return known.reader(file);
    // Reads at the same time use the same newer files.
    if (files === before) files = known.close().then(() => openWarcFiles(folder));
    const newer = await files;
    if (has(newer)) return newer.reader(file);
    throw new RangeError(`There is no record at ${offset} of ${file} in ${folder}`);
  }

  return {
    async *captures(warn) {
      for await (const line of mergedCdxj(folder, warn)) yield parseCdxjLine(line.trimEnd(), folder);
    },
    openRecord: async (start) => openRecord(await readerAt(start), start.offset),
    readResponse: async (location, maxBytes) => readResponse(await readerAt(location), location, maxBytes),
    readUsage: async (url, location) => readUsage(await readerAt(location), url, location),
    readRendered: async (url, location, maxBytes) =>
      readRendered(await readerAt(location), url, location, maxBytes),
    readerAt,
    async close() {
      await (await files)?.close();
      files = undefined;
    },
  };
}
