/** The archive of which an export is made. */
import type { RecordLocation } from '../../core/archive/record-location.ts';
import type { ReadAt } from '../../core/archive/scan-members.ts';
import type { WaczWarc } from '../../core/archive/wacz.ts';

/** A text of sorted lines of ASCII. */
export type SortedLines = readonly [read: ReadAt, bytes: number];

export interface ExportArchive {
  /** Lists the files that hold the archive now. They can be read whatever happens to the archive later. */
  list(): Promise<ArchiveFiles>;
  /** The files of an earlier list, with their sizes. */
  listed(sizes: ReadonlyMap<string, number>): ArchiveFiles;
}

/** The WARC files of a crawl at one time. */
export interface ArchiveFiles {
  readonly warcs: readonly WaczWarc[];
  /** All files, indexes among them, with their sizes in bytes. */
  readonly sizes: ReadonlyMap<string, number>;
  has(location: RecordLocation): boolean;
  /** Holds nothing: each read is a request. */
  reader(file: string): ReadAt;
  /** The index of a WARC file; undefined if it has none. */
  openIndex(file: string): Promise<SortedLines | undefined>;
}
