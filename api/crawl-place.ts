/** Where a crawl is stored: a folder, or a stack. `createStoredCrawl` makes a {@link OpenedCrawl} of it. */
import type { IndexedCapture } from '../shared/core/archive/parse-cdxj-line.ts';
import type { PayloadSource } from '../shared/core/archive/payload-reader.ts';
import type { OpenedRecord } from '../shared/core/archive/read-member.ts';
import type { RecordLocation } from '../shared/core/archive/record-location.ts';
import type { Explain } from '../shared/core/base/explain-errors.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { CrawlRecord, CrawlRegistry } from '../shared/crawler/ports/crawl-registry.ts';
import type { JarStore } from '../shared/crawler/ports/jar-store.ts';
import type { Skip } from '../shared/crawler/ports/skip-log.ts';
import type { CrawlQueries } from '../shared/services/control/crawl-queries.ts';
import type { ExportSource, OpenedSource } from '../shared/services/exports/export-source.ts';
import type { Item } from '../shared/services/project/project.ts';
import type { CrawlSummary } from '../shared/services/report/summary.ts';
import type { StoredCrawl } from './stored-crawl.ts';

/** The functions of a stored crawl that are the same in both places. */
export type OpenedCrawl = Omit<StoredCrawl, 'folder' | 'addSeeds' | 'updateOutputs'>;

export interface CrawlPlace extends Omit<ExportSource, 'payloads' | 'open'> {
  /** The crawl's record when it was opened. */
  readonly record: CrawlRecord;
  readonly registry: Pick<CrawlRegistry, 'load' | 'readSites' | 'totals'>;
  readonly queries: CrawlQueries;
  readonly archive: PlaceArchive;
  /** The links that were left out. */
  readonly skips: {
    read(): AsyncIterable<Skip>;
    /** How many links more were left out. */
    beyond(): number;
  };
  /** Files on this machine that are made of the crawl. */
  readonly files: { readonly search: string; readonly sketches: string; readonly sinks: string };
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  summary(): Promise<CrawlSummary>;
  /** The state of a crawl with this record. */
  stateOf(record: CrawlRecord): CrawlSummary['state'];
  /** The values that hooks keep, as JSON, by key. */
  hookState(): Promise<Iterable<readonly [key: string, json: string]>>;
  /** Opens the cookies and accounts of the crawl. */
  openJars(): { readonly jars: JarStore; close(): void };
  /** Returns the same items each time that what it returned is iterated. */
  openItems(): () => AsyncIterable<Item>;
  /** Opens the files of which exports are made, as they are now. */
  openFiles(): Promise<PlaceFiles>;
  /** Throws `ControlError` (`conflict`) if the crawl has ended. */
  pause(): Promise<CrawlSummary>;
  stop(): Promise<CrawlSummary>;
  /** Default: errors say by themselves what to do. */
  readonly explain?: Explain;
  close(): Promise<void>;
}

export interface PlaceFiles extends Omit<OpenedSource, 'modules'> {
  close(): Promise<void>;
}

export interface PlaceArchive extends PayloadSource {
  /** The lines of the index, sorted, each with its line feed. `warn`: called for each damaged file. */
  cdxj(warn?: (message: string) => void): AsyncIterable<string>;
  captures(warn?: (message: string) => void): AsyncIterable<IndexedCapture>;
  /** The captures whose SURT is `surt`, in no order. */
  capturesOf(surt: string): Promise<readonly IndexedCapture[]>;
  /** Opens a record. Throws `NotWarc` where none begins, and `RangeError` if the file is not so long. */
  openRecord(start: Pick<RecordLocation, 'file' | 'offset'>): Promise<OpenedRecord>;
  /** The WARC files, with their sizes in bytes. */
  sizes(): Promise<readonly (readonly [file: string, bytes: number])[]>;
}
