/** Exports that are made of the archive of a crawl. */

import type { OpenedCrawl } from '../../api/crawl-place.ts';
import type { StoredCrawl, TableName } from '../../api/stored-crawl.ts';
import type { ExportWarning } from '../../shared/core/archive/replay-codings.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { ArchiveFormat } from './export-formats.ts';
import { withOutput } from './output-file.ts';
import { streamRows } from './row-stream.ts';

interface ArchiveExport {
  readonly format: ArchiveFormat;
  readonly out?: string | undefined;
  readonly chunkTokens?: number | undefined;
  readonly tables?: readonly TableName[] | undefined;
}

/** Ends with 1 if a part of the archive could not be read: the rest is exported. */
export async function exportArchive(
  crawl: OpenedCrawl,
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
  else await (await import('./export-wacz.ts')).exportWacz(crawl, out!, warn);
  return damaged > 0 ? exitCodes.unexpected : exitCodes.finished;
}

async function exportIndex(
  crawl: Pick<StoredCrawl, 'cdxj'>,
  out: string | undefined,
  warn: ExportWarning,
): Promise<void> {
  await withOutput(out, async (stream) => {
    await streamRows(stream, crawl.cdxj(warn), (line) => line);
  });
}
