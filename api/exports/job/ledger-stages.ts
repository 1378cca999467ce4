/** Known URLs and documents, host by host, as lines and as Parquet tables. */

import type { DocumentRow } from '../../../shared/outputs/document-row.ts';
import { DOCUMENT_COLUMNS, documentTableRow } from '../../../shared/outputs/parquet/document-table.ts';
import { URL_COLUMNS, urlTableRow } from '../../../shared/outputs/parquet/url-table.ts';
import { readDocuments } from '../../../shared/outputs/read-documents.ts';
import { type UrlDetail, urlDetail } from '../../../shared/report/url-detail.ts';
import { urlLine } from '../../../shared/report/url-line.ts';
import { located } from '../../url-rows.ts';
import type { ExportContext, StageSlice } from './export-context.ts';
import { openLines, openParquet, type PartsAt, type Placed, partNumber, writeParts } from './export-parts.ts';
import { type LedgerPlace, type PlacedRecord, walkLedgers } from './walk-ledgers.ts';

type At = PartsAt<LedgerPlace> | undefined;

export const writeUrls = (context: ExportContext, at: At): Promise<StageSlice> =>
  writeParts<UrlDetail, LedgerPlace>(context, at, {
    values: (after) => urlsBehind(context, after),
    open: (number) => openLines(context.objects, `urls-${partNumber(number)}.jsonl.gz`, urlLine),
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

/** The place of a record, as the place of what is made of it. */
const placeOf = ({ hosts }: ExportContext, { after }: PlacedRecord) => ({
  after,
  isGoodEnd: after.part === undefined,
  share: Math.min(1, after.hosts / Math.max(1, hosts)),
});

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

/**
 * The documents, and after each the place behind its record. Records are read ahead, so those that have been walked wait
 * until it is known that no document before them is on its way.
 */
async function* documentsBehind(
  context: ExportContext,
  from: LedgerPlace | undefined,
): AsyncGenerator<Placed<DocumentRow, LedgerPlace>> {
  const walked: PlacedRecord[] = [];
  const skips: string[] = [];
  async function* records() {
    for await (const placed of walkLedgers(context, from)) {
      walked.push(placed);
      yield placed.record;
    }
  }
  /** Those up to the one of that URL. */
  function* upTo(url: string, value?: DocumentRow): Generator<Placed<DocumentRow, LedgerPlace>> {
    for (let placed = walked.shift(); placed; placed = walked.shift()) {
      const place = placeOf(context, placed);
      if (placed.record.url !== url) {
        yield place;
        continue;
      }
      yield value ? { value, ...place } : { isSkipped: true, ...place };
      return;
    }
  }
  const skip = (url: string, reason: string) => {
    context.warn(`${url} has no document: ${reason}`);
    skips.push(url);
  };
  for await (const document of readDocuments(
    { ...context.payloads, records },
    { skip, modules: context.modules },
  )) {
    for (const url of skips.splice(0)) yield* upTo(url);
    yield* upTo(document.url, document);
  }
  for (const url of skips.splice(0)) yield* upTo(url);
  for (const placed of walked.splice(0)) yield placeOf(context, placed);
}
