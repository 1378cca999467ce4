/** The fields of an option in the table of options. */
import type { TableName } from '../api/stored-crawl.ts';
import type { CrawlConfig } from '../shared/core/crawl/config.ts';
import { ROW_FORMATS, type RowFormat } from '../shared/services/report/url-line.ts';
import type { StackVerb, Verb } from './verbs.ts';

/** Made of the archive of a folder or of a stack's crawl. */
export const ARCHIVE_FORMATS = ['cdxj', 'wacz'] as const;
/** Made of the pages of such an archive. */
export const DOCUMENT_FORMATS = ['documents', 'markdown', 'llms'] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];
/** Made of such an archive, several files each. */
export const FOLDER_FORMATS = ['mirror', 'parquet', 'wet', 'wat', 'graph'] as const;
export type ArchiveFormat = Exclude<ExportFormat, RowFormat>;
export const EXPORT_FORMATS = [
  ...ROW_FORMATS,
  ...ARCHIVE_FORMATS,
  ...DOCUMENT_FORMATS,
  ...FOLDER_FORMATS,
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Made of several files. */
export const isFolderFormat = (format: ExportFormat): boolean =>
  (['markdown', 'llms', ...FOLDER_FORMATS] as readonly string[]).includes(format);

export const TABLES = ['index', 'urls', 'items', 'documents'] as const satisfies readonly TableName[];

export const isDocumentFormat = (format: ExportFormat): format is DocumentFormat =>
  (DOCUMENT_FORMATS as readonly ExportFormat[]).includes(format);

export const isRowFormat = (format: ExportFormat): format is RowFormat =>
  (ROW_FORMATS as readonly ExportFormat[]).includes(format);

/** Where `serve` listens. */
export const DEFAULT_PORT = 8090;

/** The verbs that crawl. */
export const BOTH = ['crawl', 'resume'] as const;

/**
 * `count`: a whole number; `countOrOff`: or `off`. `domainBudget`: or `links`, `links:N`. `dollars`: an amount above zero. `bytes`, `duration`: a number with a unit.
 * `date`: a day, or a time, as in ISO 8601. `rules`: names of the choices that are on, all others off.
 * `list`: texts with commas between them.
 * `patterns`, `pins`, `folders`, `urls`, `proxies`: repeatable. `addresses`: CIDR blocks, repeatable, the value optional and only
 * by `=`. `secrets`: text, repeatable, in no message.
 */
export type OptionType =
  | 'flag'
  | 'text'
  | 'choice'
  | 'count'
  | 'countOrOff'
  | 'domainBudget'
  | 'dollars'
  | 'bytes'
  | 'duration'
  | 'date'
  | 'rules'
  | 'list'
  | 'patterns'
  | 'pins'
  | 'folders'
  | 'urls'
  | 'secrets'
  | 'proxies'
  | 'ports'
  | 'addresses';

export const GROUPS = [
  'Crawl',
  'Scope',
  'Sitemaps and feeds',
  'Pages',
  'Recrawl',
  'Limits',
  'Politeness',
  'Identity',
  'Network',
  'Archive',
  'Output',
  'Stack',
] as const;

export interface OptionSpec {
  /** Without the dashes. */
  readonly name: string;
  /** The name of the value in the help. None for a flag. */
  readonly argument?: string;
  readonly type: OptionType;
  readonly choices?: readonly string[];
  /** For a count without a key: the smallest and the largest value, and the default. */
  readonly range?: readonly [least: number, most: number];
  readonly preset?: string;
  /** The key of the crawl's configuration that it sets; none for what concerns the command alone. */
  readonly key?: keyof CrawlConfig;
  /** A flag that `--no-NAME` turns off. */
  readonly isNegatable?: boolean;
  /**
   * The verbs that take it on one machine; `crawl` where none is named. With a key and `crawl`, `explain`
   * takes it too.
   */
  readonly verbs?: readonly Verb[];
  /** The verbs that take it on a stack; the same where none is named. */
  readonly stackVerbs?: readonly StackVerb[];
  /** Why it has no meaning at the other of the two places. */
  readonly reason?: string;
  readonly group: (typeof GROUPS)[number];
  readonly help: string;
}

/** Where a crawl is: in a folder of this machine, or on a deployed stack. */
export type Location = 'local' | 'stack';
