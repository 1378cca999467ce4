/** An export that is made in slices: the inputs and outputs of its stages, and how a stage continues. */
import type { PayloadSource } from '../../../shared/core/archive/payload-reader.ts';
import type { WaczPage } from '../../../shared/core/archive/wacz-pages.ts';
import type { CrawlId } from '../../../shared/core/crawl/crawl-id.ts';
import type { Head } from '../../../shared/core/frontier/head.ts';
import type { HostKey } from '../../../shared/core/url/host-key.ts';
import type { CrawlRecord } from '../../../shared/crawler/ports/crawl-registry.ts';
import type { ExportProgress } from '../../../shared/engines/aws/exports/export-jobs.ts';
import type { ExportObjects } from '../../../shared/engines/aws/exports/export-objects.ts';
import type { ExportRequest } from '../../../shared/services/control/crawl-export.ts';
import type { ModuleReading } from '../../../shared/services/outputs/page-document.ts';
import type { ItemTypes } from '../../../shared/services/outputs/parquet/item-table.ts';
import type { StackArchive } from '../../stack/stack-archive.ts';
import type { StoredLines } from '../../stack/stack-items.ts';
import type { RowSource } from '../../url-rows.ts';

/** Reads hosts of a crawl, a page at a time. */
export type HostPages = (
  crawl: CrawlId,
  cursor: string | undefined,
  limit: number,
) => Promise<{
  readonly hosts: readonly { readonly host: HostKey; readonly head: Head }[];
  readonly cursor?: string;
}>;

export interface ExportContext {
  readonly crawl: CrawlId;
  readonly record: CrawlRecord;
  readonly request: ExportRequest;
  readonly rows: RowSource;
  readonly hostPages: HostPages;
  /** Hosts of the crawl, about. */
  readonly hosts: number;
  readonly archive: StackArchive;
  readonly payloads: PayloadSource;
  /** Modules of the project, for documents. */
  readonly modules?: ModuleReading | undefined;
  readonly items: StoredLines;
  readonly objects: ExportObjects;
  /** A file ends when it has as many bytes. Default: 256 MB. */
  readonly maxFileBytes?: number | undefined;
  /** The most URLs that get files of their own. Default: 1,000,000. */
  readonly maxListed?: number | undefined;
  /** ms since the epoch. */
  now(): number;
  /** Whether the slice should end where it can be continued best. */
  isLate(): boolean;
  /** Whether the slice must end at once. */
  isOver(): boolean;
  /** Called with the files and records that cannot be read. */
  warn(message: string): void;
}

/** The result of a slice of a stage. */
export interface StageSlice {
  /** Where the stage continues, as JSON; undefined: it is done. */
  readonly at?: unknown;
  /** Facts for all later stages. */
  readonly facts?: ExportFacts;
  readonly written: Omit<ExportProgress, 'share'>;
  /** The share of the stage that is done. */
  readonly share: number;
}

/** Objects of the work that follow one another in a file. */
export type Pieces = readonly (readonly [name: string, bytes: number])[];

/** Facts about a WACZ file. */
export interface WaczFacts {
  /** Blocks of its index, and their summary. */
  readonly blocks: Pieces;
  readonly summary: Pieces;
  /** The list of its pages. */
  readonly pages: Pieces;
  /** The page that is shown first. */
  readonly main?: WaczPage | undefined;
}

/** Facts that a stage leaves to later ones. */
export interface ExportFacts {
  /** Size of the list of files, an object of the work. */
  readonly planBytes?: number;
  /** Indexes that were made of files without one, as objects of the work. */
  readonly indexes?: Pieces;
  /** Types of the items' keys. */
  readonly itemTypes?: ItemTypes;
  /** Parts of a WACZ file. */
  readonly wacz?: WaczFacts;
  /** Rows about all URLs that get a file, as compressed JSON. */
  readonly list?: Pieces;
  /** Sorted lines of graphs. */
  readonly runs?: Readonly<Record<string, Pieces>>;
  /** Files that earlier slices have written of a sequence that several stages number. */
  readonly files?: number;
  /** Edges of each graph that is written. */
  readonly edges?: Readonly<Record<string, number>>;
  /** A remark about the result, for the user. */
  readonly note?: string;
}

/** The export cannot be made, however often it is tried. */
export class ExportImpossible extends Error {
  override name = 'ExportImpossible';
}

export const NOTHING_WRITTEN = { files: 0, bytes: 0, records: 0, skipped: 0 } as const;
