/** Known URLs, host by host, as lines and as Parquet tables. */

import { URL_COLUMNS, urlTableRow } from '../outputs/parquet/url-table.ts';
import { type UrlDetail, urlDetail } from '../report/url-detail.ts';
import { type RowFormat, rowHeader, rowLine, URL_ROW_COLUMNS } from '../report/url-line.ts';
import { located, seedRows, waitingSeeds } from '../report/url-rows.ts';
import type { ExportContext, StageSlice } from './export-context.ts';
import { openLines, type PartsAt, partNumber, tablePart, writeParts } from './export-parts.ts';
import { placeOf } from './made-behind.ts';
import { openParquet } from './parquet-file.ts';
import type { Placed } from './placed.ts';
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

export const writeUrlTable = (context: ExportContext, at: At): Promise<StageSlice> =>
  writeParts<UrlDetail, LedgerPlace>(context, at, {
    values: (after) => urlsBehind(context, after),
    open: (number) => openParquet(context.objects, tablePart('urls', number), URL_COLUMNS, urlTableRow),
  });

/** Rows whose WARC records are located together. */
const BATCH = 500;

async function* urlsBehind(
  context: ExportContext,
  from: LedgerPlace | undefined,
): AsyncGenerator<Placed<UrlDetail, LedgerPlace>> {
  const { rows, crawl } = context;
  // A later slice does not know which of them the earlier ones have met.
  const seeds: ReturnType<typeof waitingSeeds> = from === undefined ? waitingSeeds(rows) : new Map();
  let after = from;
  let batch: PlacedRecord[] = [];
  for await (const placed of walkLedgers(context, from)) {
    seeds.delete(placed.record.url);
    ({ after } = placed);
    if (batch.push(placed) < BATCH) continue;
    yield* await detailsOf(context, batch);
    batch = [];
  }
  yield* await detailsOf(context, batch);
  for await (const [value] of seedRows(rows, crawl, seeds))
    yield { value, after: after!, isGoodEnd: false, share: 1 };
}

async function detailsOf(
  context: ExportContext,
  batch: readonly PlacedRecord[],
): Promise<Placed<UrlDetail, LedgerPlace>[]> {
  const records = batch.map(({ record }) => record);
  const now = await located(context.rows, context.crawl, records);
  return batch.map((placed, i) => ({ value: urlDetail(now[i]!), ...placeOf(context, placed) }));
}
