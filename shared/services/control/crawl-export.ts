/** Exports that a stack, or the API on one machine, makes of a crawl by itself: jobs that may take hours. */
import type { CrawlId } from '../../core/crawl/crawl-id.ts';

/**
 * The formats of such exports. `items`: those of the project's hooks. `skipped`: links that were left out, and URLs that were
 * not requested.
 */
export const CLOUD_FORMATS = [
  'jsonl',
  'csv',
  'items',
  'itemsCsv',
  'skipped',
  'skippedCsv',
  'documents',
  'markdown',
  'llms',
  'mirror',
  'cdxj',
  'wet',
  'wat',
  'parquet',
  'wacz',
  'graph',
] as const;
export type CloudFormat = (typeof CLOUD_FORMATS)[number];

/** The tables of a Parquet export. */
export const CLOUD_TABLES = ['index', 'urls', 'items', 'documents'] as const;
export type CloudTable = (typeof CLOUD_TABLES)[number];

export interface ExportRequest {
  readonly format: CloudFormat;
  /**
   * The tables of a Parquet export. Default: index, urls, items. With the format `documents`, the table `documents` may be
   * made in the same pass.
   */
  readonly tables?: CloudTable[] | undefined;
}

const DOCUMENT_FORMATS: ReadonlySet<CloudFormat> = new Set(['documents', 'markdown', 'llms', 'wet', 'wat']);

/** Whether the export has texts of documents, for which the modules of the project are needed. */
export const hasDocuments = ({
  format,
  tables,
}: {
  readonly format: CloudFormat;
  readonly tables?: readonly CloudTable[] | undefined;
}): boolean => DOCUMENT_FORMATS.has(format) || (tables?.includes('documents') ?? false);

/** `waiting`: no function has begun with it. */
export const EXPORT_STATES = ['waiting', 'running', 'done', 'failed'] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

/** Whether an export is neither done nor failed. */
export const isOpenExport = (state: string | undefined): boolean =>
  state === 'waiting' || state === 'running';

export interface CrawlExport extends ExportRequest {
  readonly crawl: CrawlId;
  /** Its name among the exports of the crawl. */
  readonly id: string;
  readonly state: ExportState;
  /** Where its files are: `s3://BUCKET/exports/CRAWL/ID/` or `file:///.../CRAWL/exports/ID/`. They are whole when `export.json` is there. */
  readonly location: string;
  /** ISO 8601, UTC. */
  readonly requestedAt: string;
  readonly endedAt?: string | undefined;
  /** Files written so far, their bytes, and the records in them. */
  readonly files: number;
  readonly bytes: number;
  readonly records: number;
  /** Records that were left out, as they cannot be read; the first reasons are in the function's log. */
  readonly skipped: number;
  /** The share of the work that is done, from 0 to 1. */
  readonly share: number;
  /** Why the export has failed, or what it lacks, for people. */
  readonly message?: string | undefined;
}

/** The id of an export that is begun now: `csv-20261129160512-1f3a`. */
export const newExportId = (format: CloudFormat, now: number, uuid: string): string =>
  `${format}-${new Date(now).toISOString().replace(/\D/g, '').slice(0, 14)}-${uuid.slice(0, 4)}`;

/** The exports that an engine makes by itself. */
export interface CrawlExports {
  /** Begins an export. */
  begin(crawl: CrawlId, request: ExportRequest): Promise<CrawlExport>;
  /** The exports of the crawl, by name. */
  list(crawl: CrawlId): Promise<readonly CrawlExport[]>;
  load(crawl: CrawlId, id: string): Promise<CrawlExport | undefined>;
}
