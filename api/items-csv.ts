/**
 * Items as a table: a column for each key that an item has at its top level, in the order in which keys first
 * come.
 */
import { csvLine } from '../shared/text/csv.ts';

/** Items with more keys together make no table. */
const MAX_COLUMNS = 1000;

/**
 * The header, then a line for each item. Objects and lists are JSON, what is missing is empty. `items` is
 * called twice: for the keys, then for the lines. Throws `RangeError` for more than {@link MAX_COLUMNS} keys.
 */
export async function* itemsCsv(
  items: () => AsyncIterable<Readonly<Record<string, unknown>>>,
): AsyncGenerator<string, void, undefined> {
  const columns = new Set<string>();
  for await (const item of items()) {
    for (const key of Object.keys(item)) columns.add(key);
    if (columns.size > MAX_COLUMNS)
      throw new RangeError(`Expected items of at most ${MAX_COLUMNS} different keys: export them as jsonl`);
  }
  if (columns.size === 0) return;
  const keys = [...columns];
  yield csvLine(keys);
  for await (const item of items()) yield itemCsvLine(item, keys);
}

export const itemCsvLine = (item: Readonly<Record<string, unknown>>, keys: readonly string[]): string =>
  csvLine(keys.map((key) => cell(item[key])));

function cell(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}
