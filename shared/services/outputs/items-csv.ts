/**
 * Items as a table: a column for each key that an item has at its top level, in the order in which keys first
 * come.
 */

import { csvLine } from '../../core/text/csv.ts';
import { createItemColumns, itemRows } from './parquet/item-table.ts';
import type { Column } from './parquet/table.ts';

type Item = Readonly<Record<string, unknown>>;

/**
 * The header, then a line for each item. Objects and lists are JSON, missing values are empty. `items` is
 * called twice: for the keys, then for the lines.
 */
export async function* itemsCsv(items: () => AsyncIterable<Item>): AsyncGenerator<string, void, undefined> {
  const found = createItemColumns();
  for await (const item of items()) found.add(item);
  const columns = found.columns();
  if (columns.length === 0) return;
  const { header, lineOf } = itemCsvLines(columns);
  yield header;
  for await (const item of items()) yield lineOf(item);
}

export function itemCsvLines(columns: readonly Column[]): {
  readonly header: string;
  readonly lineOf: (item: Item) => string;
} {
  const names = columns.map(({ name }) => name);
  const rowOf = itemRows(columns);
  return {
    header: csvLine(names),
    lineOf(item) {
      const row = rowOf(item);
      return csvLine(names.map((name) => row[name] as string | number | boolean | undefined));
    },
  };
}
