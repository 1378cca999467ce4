/** Items as a table: a column for each key that an item has at its top level. */
import type { Cell, Column, ColumnType, Row } from './table.ts';

type Item = Readonly<Record<string, unknown>>;

/** Items with more keys together make no table. */
const MAX_COLUMNS = 1000;

/** Types of the values of each key, as they may be stored. */
export type ItemTypes = readonly (readonly [key: string, type?: string | null | undefined])[];

/**
 * Collects the columns that items need: of the type that all values of a key have, otherwise `string`. Numbers are
 * `double`, as JSON knows no others.
 */
export function createItemColumns(known: ItemTypes = []) {
  // JSON has no `undefined`.
  const types = new Map(known.map(([key, type]) => [key, (type ?? undefined) as ColumnType | undefined]));
  return {
    /** Throws `RangeError` for more than 1,000 different keys. */
    add(item: Item): void {
      for (const [key, value] of Object.entries(item)) {
        const known = types.get(key);
        const type = typeOf(value);
        types.set(
          key,
          known === undefined || type === undefined || known === type ? (type ?? known) : 'string',
        );
      }
      if (types.size > MAX_COLUMNS)
        throw new RangeError(`Expected items of at most ${MAX_COLUMNS} different keys: export them as jsonl`);
    },
    /** The types found so far, for another call. */
    types: (): ItemTypes => [...types],
    columns: (): readonly Column[] =>
      [...types].map(([name, type]): Column => ({ name, type: type ?? 'string' })),
  };
}

/** The item's values in the types of the columns. Lists, objects and values of mixed columns are JSON texts. */
export function itemRow(item: Item, columns: readonly Column[]): Row {
  return Object.fromEntries(columns.map(({ name, type }) => [name, cellOf(item[name], type)]));
}

function typeOf(value: unknown): ColumnType | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'number') return 'double';
  return typeof value === 'boolean' ? 'boolean' : 'string';
}

function cellOf(value: unknown, type: ColumnType): Cell {
  if (value === null || value === undefined) return undefined;
  if (type !== 'string') return value as number | boolean;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
