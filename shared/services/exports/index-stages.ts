/** The index of an archive: as lines, and as a Parquet table. */

import { type IndexedCapture, parseCdxjLine } from '../../core/archive/parse-cdxj-line.ts';
import { readHeads } from '../../core/archive/read-heads.ts';
import { messageOf } from '../../core/base/error-message.ts';
import { mapInOrder } from '../../core/base/map-in-order.ts';
import { CAPTURE_COLUMNS, captureRow, type Subset } from '../outputs/parquet/capture-table.ts';
import type { Row } from '../outputs/parquet/table.ts';
import { type IndexLine, type IndexPlace, indexLines, plannedFiles } from './archive-plan.ts';
import type { ArchiveFiles } from './export-archive.ts';
import type { ExportContext, ExportFacts, StageSlice } from './export-context.ts';
import { openLines, type PartsAt, partNumber, writeParts } from './export-parts.ts';
import { openParquet } from './parquet-file.ts';
import type { Placed } from './placed.ts';

export async function writeIndex(
  context: ExportContext,
  at: PartsAt<IndexPlace> | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const files = await plannedFiles(context, facts);
  return writeParts<string, IndexPlace>(context, at, {
    values: (after) => linesOf(indexLines(context, files, facts, after)),
    open: (number) => openLines(context.objects, `index-${partNumber(number)}.cdxj.gz`, (line) => line),
  });
}

async function* linesOf(lines: AsyncIterable<IndexLine>): AsyncGenerator<Placed<string, IndexPlace>> {
  for await (const { line, ...place } of lines) yield { value: line, ...place };
}

/** Heads of records that are read at the same time, from S3. */
const READS_AT_ONCE = 64;

interface CaptureRow {
  readonly subset: Subset;
  readonly row: Row;
}

export async function writeIndexTable(
  context: ExportContext,
  at: PartsAt<IndexPlace> | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const files = await plannedFiles(context, facts);
  return writeParts<CaptureRow, IndexPlace>(context, at, {
    values: (after) => captureRows(context, files, indexLines(context, files, facts, after)),
    kindOf: ({ subset }) => subset,
    open: (number, subset) => {
      const name = `index/crawl=${context.crawl}/subset=${subset}/part-${partNumber(number)}.zstd.parquet`;
      return openParquet(context.objects, name, CAPTURE_COLUMNS, ({ row }) => row);
    },
  });
}

function captureRows(
  { crawl, warn }: ExportContext,
  files: ArchiveFiles,
  lines: AsyncIterable<IndexLine>,
): AsyncGenerator<Placed<CaptureRow, IndexPlace>> {
  return mapInOrder(lines, { count: READS_AT_ONCE }, async ({ line, ...place }) => {
    const capture: IndexedCapture = parseCdxjLine(line.trimEnd(), crawl);
    try {
      return { value: captureRow(capture, await readHeads(files.reader(capture.file), capture)), ...place };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
      warn(`${capture.file} at ${capture.offset} is not in the index: ${messageOf(error)}`);
      return { isSkipped: true, ...place };
    }
  });
}
