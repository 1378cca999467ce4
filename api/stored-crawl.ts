/** A crawl in a folder, as `openCrawl` gives it. */

import type { AccountReport } from '../shared/core/access/account-report.ts';
import type { ExportWarning } from '../shared/core/archive/replay-codings.ts';
import type { UrlCapture } from '../shared/core/archive/url-history.ts';
import type { CrawlOptions } from '../shared/core/crawl/crawl-options.ts';
import type { UrlChange } from '../shared/core/frontier/url-change.ts';
import type { UsagePreferences } from '../shared/core/usage/usage-statement.ts';
import type {
  AddedSeeds,
  DomainPage,
  HostDetail,
  HostPage,
  SitePage,
  SitePageRequest,
} from '../shared/services/control/control.ts';
import type { CloudTable } from '../shared/services/control/crawl-export.ts';
import type { HostPageRequest } from '../shared/services/control/host-queries.ts';
import type { DerivedFormat } from '../shared/services/exports/derived-records.ts';
import type { GraphSize } from '../shared/services/exports/export-context.ts';
import type { DocumentRow } from '../shared/services/outputs/document-row.ts';
import type { MediaModule } from '../shared/services/project/media-module.ts';
import type { Item } from '../shared/services/project/project.ts';
import type { Explanation } from '../shared/services/report/explanation.ts';
import type { CrawlReport } from '../shared/services/report/report.ts';
import type { SkippedUrl } from '../shared/services/report/skipped-urls.ts';
import type { CrawlSummary } from '../shared/services/report/summary.ts';
import type { UnreadableHost } from '../shared/services/report/unreadable-hosts.ts';
import type { UrlDetail } from '../shared/services/report/url-detail.ts';
import type { IndexedCapture, ReadRecordOptions, StoredRecord } from './archive-types.ts';
import type { BrokenLinks } from './broken-links.ts';
import type { DuplicateOptions, DuplicatePages } from './duplicates.ts';
import type { Inlink } from './inlinks.ts';
import type { PageVersion, VersionOptions } from './page-version.ts';
import type { SinkSecrets } from './sinks/open-sink.ts';
import type { UrlDifference, VisitTimes } from './url-difference.ts';

export type { CloudTable as TableName, DerivedFormat, GraphSize, SkippedUrl };

/**
 * A crawl in its folder, running or not. What is read is as it stands at that moment; reading disturbs no
 * crawl. Close it when done, or declare it by `await using`.
 */
export interface StoredCrawl extends AsyncDisposable {
  /** The crawl's name, made from the host of the first seed. */
  readonly name: string;
  readonly folder: string;
  /** The settings that the crawl was started with; those left out have their defaults. */
  readonly options: CrawlOptions;
  /** Returns what the crawl came to, or how far it is. */
  summary(): Promise<CrawlSummary>;
  /** Returns the figures of `strand report`. Reads every URL: some seconds per million. */
  report(): Promise<CrawlReport>;
  /** Yields every known URL, host by host. */
  urls(): AsyncIterable<UrlDetail>;
  /**
   * Yields the pages that are new, have changed, are gone, have moved or are back since a time, each with its last change.
   * Without a time: since the crawl began. Reads every URL.
   */
  changes(since?: Date): AsyncIterable<UrlChange>;
  /**
   * Returns all that the crawl knows of a URL; undefined if it does not know the URL. Throws `ControlError` for a text that is
   * not an http or https URL.
   */
  url(url: string): Promise<UrlDetail | undefined>;
  /** Yields the links that the crawl left out and the URLs that it did not fetch, each with the reason. */
  skipped(): AsyncIterable<SkippedUrl>;
  /** Returns how many links more were left out than {@link skipped} knows: its log has a limit. */
  skippedBeyond(): number;
  /** Explains what would happen to a URL, and why. */
  explain(url: string): Promise<Explanation>;
  /**
   * Returns the URLs that could not be fetched, with the pages that link to them and the texts of the links.
   * Parses every HTML page of the archive again; calls `skip` for those that cannot be read.
   */
  brokenLinks(skip?: (url: string, reason: string) => void): Promise<BrokenLinks>;
  /**
   * Returns the pages of the crawl that link to a URL, or to one that redirects to it, sorted, with the texts of the links.
   * The page itself does not count. Parses every HTML page of the archive again; calls `skip` for those that cannot be read.
   */
  inlinks(url: string, skip?: (url: string, reason: string) => void): Promise<readonly Inlink[]>;
  /** Yields the items that `onPage` returned, in the order of `items.jsonl`. */
  items<T = Item>(): AsyncIterable<T>;
  /**
   * Yields the items as lines of CSV, the header first: a column for each key, objects and lists as JSON. Items with keys
   * beyond the first 1,000 are whole in the column `item`.
   */
  itemsCsv(): AsyncIterable<string>;
  /** Returns the values that hooks keep in `state`, by key. */
  state(): Promise<ReadonlyMap<string, unknown>>;
  /** The accounts of the project that were used, by name: their requests, logins, failures and state. */
  accounts(): Promise<readonly AccountReport[]>;
  /** Lets an account sign in again that is locked or rests. False: none of that name was used. */
  unlockAccount(name: string): Promise<boolean>;
  /**
   * Yields every response in the archive, sorted by URL. Of a damaged WARC file, those before the damage;
   * `warn` is called for each such file.
   */
  captures(warn?: (message: string) => void): AsyncIterable<IndexedCapture>;
  /**
   * Returns the visits of a URL that are in the archive, the oldest first, and whether each found other bytes than the one
   * before. On a stack this searches the indexes of joined files, and reads the files that are not joined yet and may have the URL.
   */
  history(url: string): Promise<readonly UrlCapture[]>;
  /**
   * Returns how the main text of a page differs between two visits: by default, at its last change. Throws
   * `NoDifference` if there are not two, or if they showed neither HTML nor text.
   */
  diff(url: string, times?: VisitTimes): Promise<UrlDifference>;
  /**
   * Returns a page of the archive as a document: as it was at its last visit, or at a time. Throws `NoVersion` if there was no
   * visit, or if it showed no document.
   */
  document(url: string, options?: VersionOptions): Promise<PageVersion>;
  /**
   * Yields the lines of the archive's CDXJ index, each with its line feed, sorted. `warn` is called for each damaged WARC
   * file, and, with `coding`, for responses in content codings that replay tools cannot decode.
   */
  cdxj(warn?: ExportWarning): AsyncIterable<string>;
  /**
   * Reads the WARC record at a location: of a capture, or by the `warcFile` and `warcOffset` of a URL. Throws
   * `NotWarc` if no record begins there, and `RangeError` if it is larger than `maxBytes`.
   */
  readRecord(place: RecordPlace, options?: ReadRecordOptions): Promise<StoredRecord>;
  /**
   * Yields each page that has a text as a document: its main content as Markdown and plain text, its metadata, its
   * location in the archive. Left out are errors, redirects, other media types, and copies that name a canonical page.
   */
  documents(options?: DocumentOptions): AsyncIterable<DocumentRow>;
  /**
   * Writes a Markdown file for each document into `out`, a new or empty folder: named after its URL, with
   * front matter, with relative links between the pages. Throws `FolderNotEmpty`.
   */
  exportMarkdown(out: string, options?: Pick<DocumentOptions, 'skip'>): Promise<ExportedDocuments>;
  /** Writes `llms.txt` and `llms-full.txt` into `out`, a new or empty folder. Throws `FolderNotEmpty`. */
  exportLlms(out: string, options?: Pick<DocumentOptions, 'skip'>): Promise<ExportedDocuments>;
  /**
   * Writes each page, image and style into `out`, a new or empty folder, named after its URL, with links that
   * lead from file to file, so that browsers show them without a server. Throws `FolderNotEmpty`.
   */
  exportMirror(out: string, options?: Pick<DocumentOptions, 'skip'>): Promise<ExportedMirror>;
  /**
   * Writes the crawl as Parquet tables into `out`, a new or empty folder: `index` (every capture, with the columns
   * of Common Crawl's URL index), `urls`, `items`, and on request `documents`. Throws `FolderNotEmpty`, and
   * `RangeError` for items of more than 1,000 different keys.
   */
  exportParquet(out: string, options?: ParquetOptions): Promise<ExportedTables>;
  /**
   * Writes the link graph into `out`, a new or empty folder: `hosts/` and `pages/`, each with `vertices.txt.gz`,
   * `edges.txt.gz` and, up to 200,000 edges, `graph.graphml`. Throws `FolderNotEmpty`.
   */
  exportGraph(out: string, options?: Pick<DocumentOptions, 'skip'>): Promise<ExportedGraph>;
  /**
   * Finds pages by the words of their titles and main content, the best first: all words, `"a phrase"`, `prefix*`,
   * `-without`. The first search makes an index of the archive, later ones add new pages; for a crawl on a stack,
   * it is on this machine, and its pages are transferred once. Throws `EmptySearch` if the query has no word.
   */
  search(words: string, options?: SearchOptions): Promise<readonly SearchHit[]>;
  /**
   * Brings files in the crawl's folder up to date: `documents.jsonl` and `documents.parquet`, with one document for each page,
   * and the index of {@link search}. Only pages that are new or were fetched again are read. A file is replaced when the
   * next one is whole.
   */
  updateOutputs(options: OutputOptions): Promise<UpdatedOutputs>;
  /**
   * Brings a destination outside of Strand up to the documents of this moment: sends those that are new or were fetched
   * again since the last call, and deletes those that are gone. `to`: `opensearch+https://HOST/INDEX`,
   * `elasticsearch+...`, `webhook+https://...` or `s3://BUCKET/PREFIX`. Throws `InvalidSink`, and `SinkFailed` if the
   * destination does not take them; the next call sends the rest.
   */
  sendDocuments(to: string, options?: SendOptions): Promise<SentDocumentCounts>;
  /**
   * Finds pages of HTML whose texts are nearly the same, without the blocks that repeat on the pages of their host; numbers,
   * dates and addresses do not count. The first call reads all pages of the archive, later ones those of hosts with a page that is new or
   * was fetched again; for a crawl on a stack, the pages are transferred.
   */
  duplicates(options?: DuplicateOptions): Promise<DuplicatePages>;
  /**
   * Writes a WET file (the text of each page) or a WAT file (what each record says about itself, and the
   * links of its page) for each WARC file into `out`, a new or empty folder. Throws `FolderNotEmpty`.
   */
  exportDerived(format: DerivedFormat, out: string, options?: DerivedOptions): Promise<ExportedRecords>;
  /**
   * Yields the bytes of a WACZ file of the archive. Throws `NothingArchived` if there is no WARC file yet.
   */
  wacz(warn?: ExportWarning): AsyncIterable<Uint8Array>;
  /**
   * Adds seeds. A process that crawls into the folder takes them up within seconds; otherwise they wait for
   * `resumeCrawl`. Throws if none of them can be a seed.
   */
  addSeeds(seeds: readonly string[]): Promise<LocallyAdded>;
  /** Returns hosts with their state, a page at a time. Throws `ControlError` for a limit that is not from 1 to 1,000. */
  hosts(page?: HostPageRequest): Promise<HostPage>;
  /** Returns all that is known of a host. Throws `ControlError` if the crawl does not know it. */
  host(host: string): Promise<HostDetail>;
  /** Returns registrable domains with their budgets, as {@link hosts} does hosts. Crawls without limits of domains have none. */
  domains(page?: HostPageRequest): Promise<DomainPage>;
  /**
   * Returns the sites of a crawl that has a list of them, with how the last visit of each went: those of a group or a state if
   * given, up to `limit` (100 by default). The next ones begin at the `cursor` of the answer.
   */
  sites(page?: SitePageRequest): Promise<SitePage>;
  /**
   * Pauses the crawl: a process that crawls in the folder stores its pages and ends, usually within three
   * seconds, and this waits for it, a minute at most. A crawl that has ended stays as it is.
   */
  pause(): Promise<CrawlSummary>;
  /** As {@link pause}, but the crawl is over. `resumeCrawl` can still continue it. */
  stop(): Promise<CrawlSummary>;
  close(): Promise<void>;
}

export interface OpenCrawlOptions {
  /**
   * Modules for media types, as those of a project's file: documents, exports and searches have the pages that they read.
   * They run in the calling thread.
   */
  readonly modules?: readonly MediaModule[];
  /**
   * Called with a host of whose stored state a part is gone or damaged, perhaps again for each answer: its other URLs are left
   * out of rows and exports. Without it these throw. A report always has its `unreadable`.
   */
  readonly leaveOut?: (lost: UnreadableHost) => void;
}

/** The files that {@link StoredCrawl.updateOutputs} brings up to date. */
export interface OutputOptions extends Pick<DocumentOptions, 'skip'> {
  readonly documents?: boolean;
  readonly search?: boolean;
}

export interface UpdatedOutputs {
  readonly documents?: {
    /** Documents in the file. */
    readonly documents: number;
    /** Documents that this call has made. */
    readonly added: number;
    /** Pages that could not be read. */
    readonly skipped: number;
  };
  /** Pages in the index. */
  readonly search?: number;
}

/** Where a record begins. */
export interface RecordPlace {
  /** Name of the WARC file, without folder. */
  readonly file: string;
  readonly offset: number;
}

export interface DocumentOptions {
  /**
   * Called with a page whose document cannot be made, and the reason: its record is damaged or in another
   * archive.
   */
  readonly skip?: (url: string, reason: string) => void;
  /** Returns what the Markdown of `page` links to instead of `link`, an absolute URL. */
  readonly rewrite?: (link: string, page: string) => string;
  /** Called for each page before it is read. Default: all are wanted. */
  readonly isWanted?: (page: Pick<DocumentRow, 'url' | 'location'>) => boolean;
  /** `markdown` is empty, and `kind` is missing: documents are made in two thirds of the time. Default: false. */
  readonly withoutMarkdown?: boolean;
}

export interface ExportedMirror {
  readonly files: number;
  /** HTML pages among them. */
  readonly pages: number;
  /** Responses that could not be read. */
  readonly skipped: number;
}

export interface ExportedGraph {
  readonly hosts: GraphSize;
  readonly pages: GraphSize;
  /** Pages whose links could not be read. */
  readonly skipped: number;
}

export interface ExportedDocuments {
  /** Documents written. */
  readonly documents: number;
  /** Pages whose document could not be made. */
  readonly skipped: number;
}

export interface SearchOptions extends Pick<DocumentOptions, 'skip'> {
  /** Only pages of this host, such as `example.org` or `example.org:8080`. */
  readonly host?: string;
  /** Only pages in this language, by its code: `de`. A region does not count. */
  readonly language?: string;
  /** Only pages fetched at this time or later. */
  readonly since?: Date;
  /**
   * The maximal number of results, up to 1,000.
   * @default 10
   */
  readonly limit?: number;
  /** Text before and after each word found in a snippet. Default: nothing. */
  readonly marks?: readonly [before: string, after: string];
  /**
   * The file of the index, made if it is not there. Default: `search.sqlite` in the crawl's folder; for a crawl on a
   * stack, a file of its own below `.cache/strand` of the home folder.
   */
  readonly index?: string;
  /** Called for each page that is added to the index before the search, with the number of pages so far. */
  readonly onIndexed?: (pages: number) => void;
}

export interface SendOptions {
  readonly secrets?: SinkSecrets;
  /** Called with each page whose document could not be made, or was refused, and the reason. */
  readonly skip?: (url: string, reason: string) => void;
  /** Called after each batch, with the number of documents so far. */
  readonly onSent?: (documents: number) => void;
}

export interface SentDocumentCounts {
  readonly sent: number;
  readonly deleted: number;
  /** Documents that the destination will not take. The next call tries them again. */
  readonly refused: number;
  /** Pages whose document could not be made. */
  readonly skipped: number;
}

export interface SearchHit {
  readonly url: string;
  readonly title?: string;
  /** As it was detected; as the page says where that is not certain. */
  readonly language?: string;
  /** WARC-Date. */
  readonly fetchedAt: string;
  /** The piece of its main content with the words that were found. */
  readonly snippet: string;
  /** For `readRecord`. */
  readonly place?: RecordPlace;
  /** The uses that the site allows or forbids; missing if it has stated nothing. */
  readonly usage?: UsagePreferences;
}

export interface DerivedOptions {
  /** Called for each record that gives none, though it should, and for damage to a file. */
  readonly warn?: (message: string) => void;
}

export interface ExportedRecords {
  readonly files: number;
  readonly records: number;
  /** Revisits, whose texts and links stand in the records that they refer to: in this crawl's archive, or with `dedupeFrom` in the earlier one's. */
  readonly revisits: number;
}

export interface ParquetOptions extends Pick<DocumentOptions, 'skip'> {
  /** @default ['index', 'urls', 'items'] */
  readonly tables?: readonly CloudTable[];
  /** Called for each part of the archive that cannot be read. */
  readonly warn?: (message: string) => void;
}

/** Rows written, by table. */
export type ExportedTables = Readonly<Partial<Record<CloudTable, number>>>;

export interface LocallyAdded extends AddedSeeds {
  /** Whether a process crawls in the folder and takes up the seeds; otherwise they wait to be resumed. */
  readonly isRunning: boolean;
  /** The limit that the crawl has reached, for people. */
  readonly limit?: string | undefined;
}
