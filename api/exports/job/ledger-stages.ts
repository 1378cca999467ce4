/** Known URLs and documents, host by host, as lines and as Parquet tables. */
import type { DocumentRow } from '../../../shared/outputs/document-row.ts';
import { DOCUMENT_COLUMNS, documentTableRow } from '../../../shared/outputs/parquet/document-table.ts';
import { URL_COLUMNS, urlTableRow } from '../../../shared/outputs/parquet/url-table.ts';
import { type UrlDetail, urlDetail } from '../../../shared/report/url-detail.ts';
import { type RowFormat, rowHeader, rowLine, URL_ROW_COLUMNS } from '../../../shared/report/url-line.ts';
import { hasLeftOut, leftOutUrl, SKIPPED_COLUMNS, skippedLink } from '../../skipped-urls.ts';
import { stackSkips } from '../../stack/stack-skips.ts';
import type { SkippedUrl } from '../../stored-crawl.ts';
import { located } from '../../url-rows.ts';
import { type ExportContext, type ExportFacts, NOTHING_WRITTEN, type StageSlice } from './export-context.ts';
import { openLines, openParquet, type PartsAt, type Placed, partNumber, writeParts } from './export-parts.ts';
import { documentsBehind, placeOf } from './made-behind.ts';
import { type LedgerPlace, type PlacedRecord, walkLedgers } from './walk-ledgers.ts';

type At = PartsAt<LedgerPlace> | undefined;

export const writeUrls = (context: ExportContext, at: At, format: RowFormat): Promise<StageSlice> =>
  writeParts<UrlDetail, LedgerPlace>(context, at, {
    values: (after) => urlsBehind(context, after),
    open: (number) =>
      openLines(
        context.objects,
        `urls-${partNumber(number)}.${format}.gz`,
        (row) => rowLine(row, URL_ROW_COLUMNS, format),
        rowHeader(URL_ROW_COLUMNS, format),
      ),
  });

/** Files of links that were left out, and of URLs that were not requested. Each has a header of its own as CSV. */
const openSkipped = (context: ExportContext, format: RowFormat) => (number: number) =>
  openLines<SkippedUrl>(
    context.objects,
    `skipped-${partNumber(number)}.${format}.gz`,
    (row) => rowLine(row, SKIPPED_COLUMNS, format),
    rowHeader(SKIPPED_COLUMNS, format),
  );

/** The first file: the log of links that were left out, in one slice. Its size is bounded while it is written. */
export async function writeSkippedLinks(
  context: ExportContext,
  facts: ExportFacts,
  format: RowFormat,
): Promise<StageSlice> {
  let beyond = 0;
  const log = stackSkips(context.items, (links) => {
    beyond += links;
  });
  const part = await openSkipped(context, format)(0);
  let records = 0;
  try {
    for await (const skip of log) {
      await part.add(skippedLink(skip));
      records++;
    }
    const bytes = await part.finish();
    return {
      facts: { ...facts, ...(beyond > 0 && { note: beyondNote(beyond) }) },
      written: { ...NOTHING_WRITTEN, files: 1, bytes, records },
      share: 1,
    };
  } finally {
    await part.discard();
  }
}

const beyondNote = (links: number): string =>
  `the log of links left out was full; ${links} more are only counted, some more than once`;

/** The known URLs that were denied or skipped. */
export const writeLeftOut = (
  context: ExportContext,
  at: At = { after: undefined, next: { '': 1 } },
  format: RowFormat,
): Promise<StageSlice> =>
  writeParts<SkippedUrl, LedgerPlace>(context, at, {
    async *values(after) {
      for await (const placed of walkLedgers(context, after, hasLeftOut))
        yield { value: leftOutUrl(placed.record), ...placeOf(context, placed) };
    },
    open: openSkipped(context, format),
  });

export const writeUrlTable = (context: ExportContext, at: At): Promise<StageSlice> =>
  writeParts<UrlDetail, LedgerPlace>(context, at, {
    values: (after) => urlsBehind(context, after),
    open: (number) => openParquet(context.objects, tablePart('urls', number), URL_COLUMNS, urlTableRow),
  });

export const writeDocuments = (context: ExportContext, at: At): Promise<StageSlice> =>
  writeParts<DocumentRow, LedgerPlace>(context, at, {
    values: (after) => documentsBehind(context, after),
    open: (number) =>
      openLines(
        context.objects,
        `documents-${partNumber(number)}.jsonl.gz`,
        (row) => `${JSON.stringify(row)}\n`,
      ),
  });

export const writeDocumentTable = (context: ExportContext, at: At): Promise<StageSlice> =>
  writeParts<DocumentRow, LedgerPlace>(context, at, {
    values: (after) => documentsBehind(context, after),
    open: (number) =>
      openParquet(context.objects, tablePart('documents', number), DOCUMENT_COLUMNS, documentTableRow),
  });

export const tablePart = (table: string, number: number): string =>
  `${table}/part-${partNumber(number)}.zstd.parquet`;

/** Rows whose WARC records are located together. */
const BATCH = 500;

async function* urlsBehind(
  context: ExportContext,
  from: LedgerPlace | undefined,
): AsyncGenerator<Placed<UrlDetail, LedgerPlace>> {
  let batch: PlacedRecord[] = [];
  for await (const placed of walkLedgers(context, from)) {
    if (batch.push(placed) < BATCH) continue;
    yield* await detailsOf(context, batch);
    batch = [];
  }
  yield* await detailsOf(context, batch);
}

async function detailsOf(
  context: ExportContext,
  batch: readonly PlacedRecord[],
): Promise<Placed<UrlDetail, LedgerPlace>[]> {
  const records = batch.map(({ record }) => record);
  const now = await located(context.rows, context.crawl, records);
  return batch.map((placed, i) => ({ value: urlDetail(now[i]!), ...placeOf(context, placed) }));
}
