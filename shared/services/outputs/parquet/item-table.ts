/** Items as a table: a column for each key that an item has at its top level. */
import type { Cell, Column, ColumnType, Row } from './table.ts';

type Item = Readonly<Record<string, unknown>>;

/** Keys that have a column, the first ones. */
const MAX_COLUMNS = 1000;

/** Types of the values of each key, as they may be stored. */
export type ItemTypes = readonly (readonly [key: string, type?: string | null | undefined])[];

/** The column of the whole item as JSON, in tables that have no column for some keys. */
export const ITEM_COLUMN = 'item';

/** In an export: empty where all keys of the item have columns. */
const REST_COLUMN: Column = { name: ITEM_COLUMN, type: 'string', isDistinct: true };

/**
 * Collects the columns that items need: of the type that all values of a key have, otherwise `string`. Numbers are
 * `double`, as JSON knows no others. If items have more than 1,000 keys together, the further ones have the column `item`.
 */
export function createItemColumns(known: ItemTypes = []) {
  // JSON has no `undefined`.
  const types = new Map(known.map(([key, type]) => [key, (type ?? undefined) as ColumnType | undefined]));
  return {
    add(item: Item): void {
      for (const [key, value] of Object.entries(item)) {
        // A further column says that columns were left out.
        if (types.size > MAX_COLUMNS && !types.has(key)) continue;
        const known = types.get(key);
        const type = typeOf(value);
        types.set(
          key,
          known === undefined || type === undefined || known === type ? (type ?? known) : 'string',
        );
      }
    },
    /** The types found so far, for another call. */
    types: (): ItemTypes => [...types],
    columns(): readonly Column[] {
      const columns = [...types].map(([name, type]): Column => ({ name, type: type ?? 'string' }));
      return columns.length > MAX_COLUMNS
        ? [...withoutItemColumn(columns.slice(0, MAX_COLUMNS)), REST_COLUMN]
        : columns;
    },
  };
}

/** The columns, and after them the whole item, which replaces a key of this name. */
export const withItemColumn = (columns: readonly Column[]): readonly Column[] => [
  ...withoutItemColumn(columns),
  { ...REST_COLUMN, isRequired: true },
];

/** Names that differ by case only are one to most readers. */
const withoutItemColumn = (columns: readonly Column[]): readonly Column[] =>
  columns.filter(({ name }) => name.toLowerCase() !== ITEM_COLUMN);

/**
 * Returns a function for the values of an item in the types of the columns. Lists, objects and values of mixed columns are
 * JSON texts.
 */
export function itemRows(columns: readonly Column[]): (item: Item) => Row {
  const hasRest = columns.at(-1) === REST_COLUMN;
  const own = hasRest ? columns.slice(0, -1) : columns;
  const names = new Set(own.map(({ name }) => name));
  return (item) => {
    const row = own.map(({ name, type }): [string, Cell] => [
      name,
      Object.hasOwn(item, name) ? cellOf(item[name], type) : undefined,
    ]);
    if (hasRest) row.push([ITEM_COLUMN, isWhole(item, names) ? undefined : JSON.stringify(item)]);
    return Object.fromEntries(row);
  };
}

const isWhole = (item: Item, names: ReadonlySet<string>): boolean =>
  Object.keys(item).every((key) => names.has(key));

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
