import { openCrawl } from '../../api/open-crawl.ts';
import type { StoredCrawl, TableName } from '../../api/stored-crawl.ts';
import type { ExportWarning } from '../../shared/core/archive/replay-codings.ts';
import { printable } from '../../shared/core/text/printable.ts';
import type { RowFormat } from '../../shared/services/report/url-line.ts';
import type { LocalCommandOf } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { exportHeader, exportRow } from '../export-rows.ts';
import { formatCount, formatCounted } from '../format.ts';
import { type ArchiveFormat, DOCUMENT_FORMATS, type ExportFormat, isRowFormat } from '../option-spec.ts';
import { gathered } from './gathered.ts';
import { withOutput } from './output-file.ts';
import { openForDocuments } from './project-modules.ts';
import { writeItems } from './write-items.ts';
import { writerTo } from './write-rows.ts';
import { writeSkipped } from './write-skipped.ts';

/**
 * `strand export DIR --format ...`: every known URL, every link left out or every item; or what is made from
 * the archive: its index, a WACZ file, documents. Ends with 1 if a part of the archive could not be read: the
 * rest is exported.
 */
export async function exportUrls(command: LocalCommandOf<'export'>): Promise<number> {
  const { dir, format, skipped, items, out } = command;
  await using crawl = await (makesDocuments(command)
    ? openForDocuments(dir, command.config)
    : openCrawl(dir));
  if (!isRowFormat(format)) return await exportArchiveOf(crawl, { ...command, format });
  if (command.bySite) {
    const { exportBySite } = await import('./export-by-site.ts');
    const files = await exportBySite(crawl, { format, out: out!, group: command.group });
    process.stderr.write(`${formatCounted(files, 'file')}\n`);
    return exitCodes.finished;
  }
  const write = items ? exportItems : skipped ? exportSkipped : exportRows;
  await write(crawl, format, out);
  return exitCodes.finished;
}

/** Whether the modules of the project are needed. */
export const makesDocuments = ({
  format,
  tables,
}: {
  format: ExportFormat;
  tables?: readonly TableName[] | undefined;
}): boolean =>
  (DOCUMENT_FORMATS as readonly string[]).includes(format) ||
  format === 'wet' ||
  format === 'wat' ||
  (format === 'parquet' && (tables?.includes('documents') ?? false));

/** The functions of a crawl that exports of its archive use, in both places. */
export type ExportedCrawl = Pick<
  StoredCrawl,
  | 'cdxj'
  | 'wacz'
  | 'documents'
  | 'exportMarkdown'
  | 'exportLlms'
  | 'exportMirror'
  | 'exportParquet'
  | 'exportDerived'
  | 'exportGraph'
>;

interface ArchiveExport {
  readonly format: ArchiveFormat;
  readonly out?: string | undefined;
  readonly chunkTokens?: number | undefined;
  readonly tables?: readonly TableName[] | undefined;
}

/** The same for an open crawl, in the formats that are made of the archive. */
export async function exportArchiveOf(
  crawl: ExportedCrawl,
  { format, out, chunkTokens, tables }: ArchiveExport,
): Promise<ExitCode> {
  switch (format) {
    case 'cdxj':
    case 'wacz':
      return exportOneFile(crawl, format, out);
    case 'mirror':
      return (await import('./export-mirror.ts')).exportMirror(crawl, out!);
    case 'parquet':
      return (await import('./export-parquet.ts')).exportParquet(crawl, out!, tables);
    case 'graph':
      return (await import('./export-graph.ts')).exportGraph(crawl, out!);
    case 'wet':
    case 'wat':
      return (await import('./export-derived.ts')).exportDerived(crawl, format, out!);
    default:
      return (await import('./export-documents.ts')).exportDocuments(crawl, { format, out, chunkTokens });
  }
}

async function exportOneFile(
  crawl: Pick<StoredCrawl, 'cdxj' | 'wacz'>,
  format: 'cdxj' | 'wacz',
  out: string | undefined,
): Promise<ExitCode> {
  let damaged = 0;
  const warn: ExportWarning = (message, about) => {
    if (about === undefined) damaged++;
    process.stderr.write(`strand: ${printable(message)}\n`);
  };
  if (format === 'cdxj') await exportIndex(crawl, out, warn);
  else await (await import('./export-wacz.ts')).exportWaczOf(crawl, out!, warn);
  return damaged > 0 ? exitCodes.unexpected : exitCodes.finished;
}

const exportRows = (crawl: StoredCrawl, format: RowFormat, out: string | undefined): Promise<void> =>
  withOutput(out, async (stream) => {
    const write = writerTo(stream);
    await write(exportHeader(format));
    for await (const text of gathered(crawl.urls(), (row) => exportRow(row, format))) await write(text);
  });

const exportItems = (crawl: StoredCrawl, format: RowFormat, out: string | undefined): Promise<void> =>
  withOutput(out, (stream) => writeItems(() => crawl.items(), format, stream));

export async function exportSkipped(
  crawl: Pick<StoredCrawl, 'skipped' | 'skippedBeyond'>,
  format: RowFormat,
  out: string | undefined,
): Promise<void> {
  await withOutput(out, (stream) => writeSkipped(crawl.skipped(), format, stream));
  const beyond = crawl.skippedBeyond();
  if (beyond > 0)
    process.stderr.write(
      `strand: the log of links left out was full; ${formatCount(beyond)} more are only counted, some more than once\n`,
    );
}

async function exportIndex(
  crawl: Pick<StoredCrawl, 'cdxj'>,
  out: string | undefined,
  warn: ExportWarning,
): Promise<void> {
  await withOutput(out, async (stream) => {
    const write = writerTo(stream);
    for await (const line of crawl.cdxj(warn)) await write(line);
  });
}
