/** The words of `export`, read. */
import type { TableName } from '../../api/stored-crawl.ts';
import { quoted } from '../../shared/core/text/printable.ts';
import { CLOUD_TABLES, type CloudFormat } from '../../shared/services/control/crawl-export.ts';
import { crawlOf, type Given, isSet, numberOf, readCrawl, textOf, wrongWords } from '../given.ts';
import { UsageError } from '../usage-error.ts';
import { EXPORT_FORMATS, type ExportFormat, isFolderFormat, isRowFormat } from './export-formats.ts';

export interface RowKinds {
  /** The links left out, not the URLs known. */
  readonly skipped: boolean;
  /** The items, not the URLs known. */
  readonly items: boolean;
}

export interface ExportAsked extends RowKinds {
  readonly crawl: string;
  readonly format: ExportFormat;
  readonly bySite?: true;
  readonly group?: string;
  /** A file instead of standard output, or a folder. */
  readonly out: string | undefined;
  readonly chunkTokens: number | undefined;
  readonly tables: readonly TableName[] | undefined;
  readonly config: string | undefined;
  /** The stack makes it, in its bucket. */
  readonly inCloud?: CloudFormat;
}

/** The exports that a stack makes or has made, or one of them. */
export interface ListAsked {
  readonly isList: true;
  readonly crawl: string;
  readonly id: string | undefined;
}

/** Throws {@link UsageError} for options that do not go together. */
export function readExport(given: Given): ExportAsked | ListAsked {
  if (isSet(given, 'list')) return readList(given);
  const out = textOf(given, 'out');
  const format = readFormat(given, out);
  const rows = { skipped: isSet(given, 'skipped'), items: isSet(given, 'items') };
  const crawl = readCrawl(given);
  const inCloud = isSet(given, 'in-cloud') ? readCloudFormat(given, format, rows) : undefined;
  if (!inCloud) {
    if (isSet(given, 'json')) throw new UsageError('Expected --list or --in-cloud with --json');
    refuseMix(format, rows, out);
  }
  return {
    crawl,
    format,
    ...rows,
    ...readBySite(given, format, { ...rows, out }),
    out,
    chunkTokens: readChunk(given, format),
    tables: readTables(given, format),
    config: textOf(given, 'config'),
    ...(inCloud && { inCloud }),
  };
}

function readList(given: Given): ListAsked {
  const [crawl, id, ...others] = given.words;
  if (crawl === undefined || id === '' || others.length > 0) throw wrongWords(given, 'CRAWL [ID]', '--list');
  return { isList: true, crawl: crawlOf(given, crawl), id };
}

/** The format that is named, else documents for chunks, that of the file's name, JSON lines. */
function readFormat(given: Given, file = ''): ExportFormat {
  const ending = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  const byFile = EXPORT_FORMATS.find((format) => format === ending);
  const asked = textOf(given, 'format') as ExportFormat | undefined;
  return asked ?? (given.values.has('chunk') ? 'documents' : (byFile ?? 'jsonl'));
}

/** Throws {@link UsageError} for files by site of anything but rows of URLs. */
function readBySite(
  given: Given,
  format: ExportFormat,
  { out, skipped, items }: RowKinds & { readonly out: string | undefined },
): { readonly bySite?: true; readonly group?: string } {
  const group = textOf(given, 'group');
  if (!isSet(given, 'by-site')) {
    if (group !== undefined) throw new UsageError('Expected --by-site with --group');
    return {};
  }
  if (!isRowFormat(format) || skipped || items)
    throw new UsageError('Expected --format jsonl|csv with --by-site, without --items and --skipped');
  if (out === undefined)
    throw new UsageError('Expected --out FOLDER with --by-site: it writes several files');
  return { bySite: true, ...(group !== undefined && { group }) };
}

/** Throws {@link UsageError} for an export of rows in another format, and for a WACZ without a file. */
function refuseMix(format: ExportFormat, kinds: RowKinds, out: string | undefined): void {
  refuseRows(format, kinds);
  if (format === 'wacz' && out === undefined)
    throw new UsageError('Expected --out FILE with --format wacz: it is one file, and not text');
  if (isFolderFormat(format) && out === undefined)
    throw new UsageError(`Expected --out FOLDER with --format ${format}: it writes several files`);
}

function refuseRows(format: ExportFormat, { skipped, items }: RowKinds): void {
  if ((skipped || items) && !isRowFormat(format)) {
    const flag = items ? '--items' : '--skipped';
    throw new UsageError(`Expected --format jsonl|csv with ${flag}, got ${quoted(format)}`);
  }
  if (skipped && items) throw new UsageError('Expected --items or --skipped, got both');
}

/** The format of an export that a stack makes. Throws {@link UsageError} for what it cannot make. */
function readCloudFormat(given: Given, format: ExportFormat, kinds: RowKinds): CloudFormat {
  for (const name of ['out', 'chunk'])
    if (given.values.has(name))
      throw new UsageError(`Expected no --${name} with --in-cloud: the stack writes to its bucket`);
  refuseRows(format, kinds);
  if (kinds.items) return format === 'csv' ? 'itemsCsv' : 'items';
  if (kinds.skipped) return format === 'csv' ? 'skippedCsv' : 'skipped';
  return format;
}

/** Smaller pieces would hold no sentence. */
const MIN_CHUNK_TOKENS = 20;

function readChunk(given: Given, format: ExportFormat): number | undefined {
  const tokens = numberOf(given, 'chunk');
  if (tokens === undefined) return undefined;
  if (format !== 'documents')
    throw new UsageError(`Expected --format documents with --chunk, got ${quoted(format)}`);
  if (tokens < MIN_CHUNK_TOKENS)
    throw new UsageError(`Expected --chunk to be at least ${MIN_CHUNK_TOKENS} tokens, got ${tokens}`);
  return tokens;
}

function readTables({ values }: Given, format: ExportFormat) {
  const tables = values.get('tables') as Readonly<Record<string, boolean>> | undefined;
  if (tables === undefined) return undefined;
  if (format !== 'parquet')
    throw new UsageError(`Expected --format parquet with --tables, got ${quoted(format)}`);
  return CLOUD_TABLES.filter((name) => tables[name]);
}
