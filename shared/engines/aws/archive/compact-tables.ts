/** The captures of a joined file as Parquet tables: one for each of Common Crawl's subsets that has rows. */
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { Capture } from '../../../core/archive/cdxj.ts';
import { parseCdxjLine } from '../../../core/archive/parse-cdxj-line.ts';
import { parseHttpHead } from '../../../core/archive/parse-http-head.ts';
import { type ResponseHeads, readHeads } from '../../../core/archive/read-heads.ts';
import { MAX_RECORD_HEAD, recordHeadLength } from '../../../core/archive/read-warc.ts';
import type { ReadAt, ScannedMember } from '../../../core/archive/scan-members.ts';
import { messageOf } from '../../../core/base/error-message.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import {
  CAPTURE_COLUMNS,
  captureRow,
  type RowHeads,
  rowHeads,
  SUBSETS,
  type Subset,
} from '../../../services/outputs/parquet/capture-table.ts';
import { createTableBytes, type TableBytes } from '../../../services/outputs/parquet/table-writer.ts';
import { withRetry } from '../retry.ts';
import type { ObjectContext } from './archive-object.ts';
import { deleteObjects } from './delete-objects.ts';
import { tableKey } from './table-folders.ts';

/** A capture with the rest of the data of its row. */
export interface TabledCapture extends Capture {
  /** {@link RowHeads} as JSON: a text of its own, which keeps no other memory. Missing without tables. */
  readonly heads?: string;
}

/** Returns the heads of a scanned record, as `readHeads` reads them from the same file. */
export async function headsOf(read: ReadAt, member: ScannedMember): Promise<string> {
  const { record, blockStart } = member;
  const length = recordHeadLength(blockStart);
  // The head may be longer than what the scan holds. A block that is all there and has none is that of a 304.
  const isLong = length === undefined && blockStart.length >= MAX_RECORD_HEAD;
  const { httpStatus, headers } = isLong
    ? await readHeads(read, member)
    : length === undefined
      ? NO_HEADS
      : parseHttpHead(blockStart.subarray(0, length));
  return JSON.stringify(rowHeads({ record, httpStatus, headers }));
}

/** As `readHeads` gives for a block without a head. */
const NO_HEADS: Pick<ResponseHeads, 'httpStatus' | 'headers'> = { httpStatus: 0, headers: [] };

/** A line of an index, and the heads of its record. */
export type TabledLine = Pick<TabledCapture, 'heads'> & { readonly line: string };

export type EncodedTables = ReadonlyMap<Subset, Uint8Array>;

/** Rows that are made without a pause: some 10 ms. */
const ROWS_AT_ONCE = 500;

interface EncodeOptions {
  /** Comes before each {@link ROWS_AT_ONCE} rows. What it throws is thrown. */
  readonly step: () => Promise<void>;
  /** Called with a capture that has no row. */
  readonly warn: (message: string) => void;
}

/**
 * Makes the tables, their rows in the order of the lines. Equal lines make equal bytes. Without any row an empty table
 * of the subset `warc` is made: it shows that the file has its tables.
 */
export async function encodeTables(
  lines: readonly TabledLine[],
  file: string,
  { step, warn }: EncodeOptions,
): Promise<EncodedTables> {
  const tables = new Map<Subset, TableBytes>([['warc', createTableBytes(CAPTURE_COLUMNS)]]);
  for (const [i, { line, heads }] of lines.entries()) {
    if (i % ROWS_AT_ONCE === 0) await step();
    if (heads === undefined) continue;
    const place = parseCdxjLine(line.trimEnd(), file);
    try {
      const found = captureRow(place, JSON.parse(heads) as RowHeads);
      if (!found) continue;
      const table = tables.get(found.subset) ?? createTableBytes(CAPTURE_COLUMNS);
      tables.set(found.subset, table);
      await table.add(found.row);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      warn(`${file} at ${place.offset} has no row in the tables: ${messageOf(error)}`);
    }
  }
  const encoded = new Map<Subset, Uint8Array>();
  for (const [subset, table] of tables) encoded.set(subset, await table.finish());
  return encoded;
}

/** Safe to repeat: the same bytes at the same keys. The subset `warc` is last, so that it shows that all are there. */
export async function putTables(
  { s3, bucket, clock }: ObjectContext,
  crawl: CrawlId,
  file: string,
  tables: EncodedTables,
): Promise<void> {
  for (const subset of SUBSETS.toReversed()) {
    const body = tables.get(subset);
    if (!body) continue;
    const key = tableKey(crawl, subset, file);
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body: body,
      ContentType: 'application/vnd.apache.parquet',
    });
    await withRetry(`storing ${key}`, () => s3.send(command), { clock });
  }
}

/** For a joined file that is given up. */
export async function deleteTables(context: ObjectContext, crawl: CrawlId, file: string): Promise<void> {
  const keys = SUBSETS.map((subset) => tableKey(crawl, subset, file));
  await deleteObjects(context, 'deleting tables of captures', keys);
}
