/** The items of a project's hooks, as lines and as a Parquet table. */
import { listFiles } from '../../../shared/engines/aws/archive/compact-objects.ts';
import { itemsPrefix } from '../../../shared/engines/aws/archive/item-folders.ts';
import { linesOfObject } from '../../../shared/engines/aws/archive/item-lines.ts';
import { createItemColumns, itemRows } from '../../../shared/services/outputs/parquet/item-table.ts';
import type { Item } from '../../../shared/services/project/project.ts';
import { itemCsvLines } from '../../items-csv.ts';
import { type ExportContext, type ExportFacts, NOTHING_WRITTEN, type StageSlice } from './export-context.ts';
import { openLines, openParquet, type PartsAt, type Placed, partNumber, writeParts } from './export-parts.ts';
import { tablePart } from './ledger-stages.ts';

/** Cursor: the key of the last exported object. Keys sort by time. */
type ItemPlace = string;
type At = PartsAt<ItemPlace> | undefined;

export const writeItemLines = (context: ExportContext, at: At): Promise<StageSlice> =>
  writeParts<string, ItemPlace>(context, at, {
    values: (after) => itemsBehind(context, after),
    open: (number) =>
      openLines(context.objects, `items-${partNumber(number)}.jsonl.gz`, (line) => `${line}\n`),
  });

/** Lines of CSV with a header. An item's lists and objects are JSON. */
export function writeItemCsv(context: ExportContext, at: At, facts: ExportFacts): Promise<StageSlice> {
  const { header, lineOf } = itemCsvLines(createItemColumns(facts.itemTypes).columns());
  return writeParts<string, ItemPlace>(context, at, {
    values: (after) => itemsBehind(context, after),
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
  for await (const placed of itemsBehind(context, at)) {
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
    values: (after) => itemsBehind(context, after),
    open: (number) =>
      openParquet(context.objects, tablePart('items', number), columns, (line) =>
        rowOf(JSON.parse(line) as Item),
      ),
  });
}

const itemsBehind = (context: ExportContext, after: ItemPlace | undefined) =>
  storedLinesBehind(context, itemsPrefix(context.crawl), after);

/** Lines that workers have stored in that folder, without their line feeds. */
export async function* storedLinesBehind(
  { items: { context, run } }: ExportContext,
  prefix: string,
  after: ItemPlace | undefined,
): AsyncGenerator<Placed<string, ItemPlace>> {
  const folder = { ...context, folder: prefix };
  const pages = listFiles(folder, after);
  for (let page = await run(() => pages.next()); !page.done; page = await run(() => pages.next())) {
    for (const { file, bytes } of page.value) {
      const lines = await run(() => linesOfObject(folder, file, bytes));
      // An object is exported whole or not at all.
      const place = { after: file, share: 0.5 };
      for (const line of lines) yield { value: line, ...place, isGoodEnd: false };
      yield { ...place, isGoodEnd: true };
    }
  }
}
