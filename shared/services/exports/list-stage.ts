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
import { KeptText } from './kept-text.ts';
import { placeOf } from './made-behind.ts';
import { type LedgerPlace, walkLedgers } from './walk-ledgers.ts';

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
  const list = new KeptText(context, 'list', facts.list, (text) => gzipSync(`[${text.slice(0, -1)}]`));
  let { after, rows } = at ?? { after: undefined, rows: 0 };
  let share = 1;
  let isCut = false;
  for await (const placed of walkLedgers(context, after)) {
    const row = rowOf(placed.record);
    if (row !== undefined) {
      rows++;
      await list.add(`${JSON.stringify(row)},`);
    }
    if (rows > maxListed)
      throw new ExportImpossible(
        `The crawl has more than ${maxListed} URLs for files of their own: export documents or wacz instead, which have no limit`,
      );
    after = placed.after;
    ({ share } = placeOf(context, placed));
    isCut = isOver() || (after.part === undefined && isLate());
    if (isCut) break;
  }
  return {
    ...(isCut && { at: { after: after!, rows } satisfies ListAt }),
    facts: { ...facts, list: await list.end() },
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
