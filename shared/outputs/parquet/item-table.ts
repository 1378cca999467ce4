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

/** The column of the whole item as JSON, in tables whose items have other keys elsewhere. */
export const ITEM_COLUMN = 'item';

/** The columns with that one behind them, in the place of a key of this name. */
export const withItemColumn = (columns: readonly Column[]): readonly Column[] => [
  // Names that differ by case only are one to most readers.
  ...columns.filter(({ name }) => name.toLowerCase() !== ITEM_COLUMN),
  { name: ITEM_COLUMN, type: 'string', isRequired: true, isDistinct: true },
];

/** The item's values in the types of the columns. Lists, objects and values of mixed columns are JSON texts. */
export function itemRow(item: Item, columns: readonly Column[]): Row {
  return Object.fromEntries(
    columns.map(({ name, type }) => [name, Object.hasOwn(item, name) ? cellOf(item[name], type) : undefined]),
  );
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
