/** A list of what later stages must know of all URLs of a crawl, before they write the first one. */
import { gzipSync } from 'node:zlib';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import {
  type ExportContext,
  type ExportFacts,
  ExportImpossible,
  NOTHING_WRITTEN,
  type StageSlice,
} from './export-context.ts';
import { readJson } from './export-store.ts';
import { placeOf } from './made-behind.ts';
import { keptPiece } from './sliced-file.ts';
import { type LedgerPlace, walkLedgers } from './walk-ledgers.ts';

/** Rows that a slice gathers in memory. */
const PIECE_ROWS = 200_000;
/** Some 500 to 700 bytes of memory each, when files are named after them. */
const MAX_ROWS = 1_000_000;

interface ListAt {
  readonly after: LedgerPlace;
  readonly rows: number;
}

/** Keeps a row for each record that gives one. Throws {@link ExportImpossible} if there are too many. */
export async function listRows<Row>(
  context: ExportContext,
  at: ListAt | undefined,
  facts: ExportFacts,
  rowOf: (record: UrlRecord) => Row | undefined,
): Promise<StageSlice> {
  const { isLate, isOver, maxListed = MAX_ROWS } = context;
  const rows: Row[] = [];
  const before = at?.rows ?? 0;
  let after = at?.after;
  let share = 1;
  let isCut = false;
  for await (const placed of walkLedgers(context, after)) {
    const row = rowOf(placed.record);
    if (row !== undefined) rows.push(row);
    if (before + rows.length > maxListed)
      throw new ExportImpossible(
        `The crawl has more than ${maxListed} URLs for files of their own: export documents or wacz instead, which have no limit`,
      );
    after = placed.after;
    ({ share } = placeOf(context, placed));
    isCut = isOver() || (after.part === undefined && (isLate() || rows.length >= PIECE_ROWS));
    if (isCut) break;
  }
  const body = rows.length === 0 ? Buffer.alloc(0) : gzipSync(JSON.stringify(rows));
  const kept = await keptPiece(context, `list-${before + rows.length}`, body);
  const list = [...(facts.list ?? []), ...kept];
  return {
    ...(isCut && { at: { after: after!, rows: before + rows.length } satisfies ListAt }),
    facts: { ...facts, list },
    written: NOTHING_WRITTEN,
    share: isCut ? share : 1,
  };
}

/** The rows of {@link listRows}. */
export async function listedRows<Row>(
  { objects }: ExportContext,
  { list = [] }: ExportFacts,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, bytes] of list)
    for (const row of await readJson<Row[]>(objects, name, bytes)) rows.push(row);
  return rows;
}
