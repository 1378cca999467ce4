/** The items of a project's hooks, as lines and as a Parquet table. */

import { itemCsvLines } from '../outputs/items-csv.ts';
import { createItemColumns, itemRows } from '../outputs/parquet/item-table.ts';
import type { Item } from '../project/project.ts';
import { type ExportContext, type ExportFacts, NOTHING_WRITTEN, type StageSlice } from './export-context.ts';
import { openLines, type PartsAt, partNumber, tablePart, writeParts } from './export-parts.ts';
import { openParquet } from './parquet-file.ts';

type At = PartsAt<string> | undefined;

export const writeItemLines = (context: ExportContext, at: At): Promise<StageSlice> =>
  writeParts<Item, string>(context, at, {
    values: (after) => context.items(after),
    open: (number) =>
      openLines(
        context.objects,
        `items-${partNumber(number)}.jsonl.gz`,
        (item) => `${JSON.stringify(item)}\n`,
      ),
  });

/** Lines of CSV with a header. An item's lists and objects are JSON. */
export function writeItemCsv(context: ExportContext, at: At, facts: ExportFacts): Promise<StageSlice> {
  const { header, lineOf } = itemCsvLines(createItemColumns(facts.itemTypes).columns());
  return writeParts<Item, string>(context, at, {
    values: (after) => context.items(after),
    open: (number) => openLines(context.objects, `items-${partNumber(number)}.csv.gz`, lineOf, header),
  });
}

/** Finds the columns that all items need together. */
export async function findItemColumns(
  context: ExportContext,
  at: string | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const found = createItemColumns(facts.itemTypes);
  let after = at;
  let isCut = false;
  for await (const placed of context.items(at)) {
    after = placed.after;
    if (placed.value !== undefined) found.add(placed.value);
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
  return writeParts<Item, string>(context, at, {
    values: (after) => context.items(after),
    open: (number) => openParquet(context.objects, tablePart('items', number), columns, rowOf),
  });
}
