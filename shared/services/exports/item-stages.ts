/** The items of a project's hooks, as lines and as a Parquet table. */

import { itemCsvLines } from '../outputs/items-csv.ts';
import { createItemColumns, itemRows } from '../outputs/parquet/item-table.ts';
import type { Item } from '../project/project.ts';
import { type ExportContext, type ExportFacts, NOTHING_WRITTEN, type StageSlice } from './export-context.ts';
import { openLines, openParquet, type PartsAt, partNumber, writeParts } from './export-parts.ts';
import { tablePart } from './ledger-stages.ts';

/** Cursor: the key of the last exported object. Keys sort by time. */
type ItemPlace = string;
type At = PartsAt<ItemPlace> | undefined;

export const writeItemLines = (context: ExportContext, at: At): Promise<StageSlice> =>
  writeParts<string, ItemPlace>(context, at, {
    values: (after) => context.items(after),
    open: (number) =>
      openLines(context.objects, `items-${partNumber(number)}.jsonl.gz`, (line) => `${line}\n`),
  });

/** Lines of CSV with a header. An item's lists and objects are JSON. */
export function writeItemCsv(context: ExportContext, at: At, facts: ExportFacts): Promise<StageSlice> {
  const { header, lineOf } = itemCsvLines(createItemColumns(facts.itemTypes).columns());
  return writeParts<string, ItemPlace>(context, at, {
    values: (after) => context.items(after),
    open: (number) =>
      openLines(
        context.objects,
        `items-${partNumber(number)}.csv.gz`,
        (line) => lineOf(JSON.parse(line) as Item),
        header,
      ),
  });
}

/** Finds the columns that all items need together. */
export async function findItemColumns(
  context: ExportContext,
  at: ItemPlace | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const found = createItemColumns(facts.itemTypes);
  let after = at;
  let isCut = false;
  for await (const placed of context.items(at)) {
    after = placed.after;
    if (placed.value !== undefined) found.add(JSON.parse(placed.value) as Item);
    isCut = placed.isGoodEnd !== false && context.isLate();
    if (isCut) break;
  }
  return {
    ...(isCut && { at: after }),
    facts: { ...facts, itemTypes: found.types() },
    written: NOTHING_WRITTEN,
    share: isCut ? 0.5 : 1,
  };
}

export function writeItemTable(context: ExportContext, at: At, facts: ExportFacts): Promise<StageSlice> {
  const columns = createItemColumns(facts.itemTypes).columns();
  const rowOf = itemRows(columns);
  return writeParts<string, ItemPlace>(context, at, {
    values: (after) => context.items(after),
    open: (number) =>
      openParquet(context.objects, tablePart('items', number), columns, (line) =>
        rowOf(JSON.parse(line) as Item),
      ),
  });
}
