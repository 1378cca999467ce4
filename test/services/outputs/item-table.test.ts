import { describe, expect, test } from 'vitest';
import { createItemColumns, itemRows } from '../../../shared/services/outputs/parquet/item-table.ts';

function tableOf(...items: Readonly<Record<string, unknown>>[]) {
  const found = createItemColumns();
  for (const item of items) found.add(item);
  const columns = found.columns();
  return {
    types: Object.fromEntries(columns.map(({ name, type }) => [name, type])),
    rows: items.map(itemRows(columns)),
  };
}

test('a column has the type of its values, and is text where they differ', () => {
  const { types, rows } = tableOf(
    { price: 1, name: 'a', isNew: true, mixed: 1, tags: ['x'], nothing: null },
    { price: 2.5, name: 'b', isNew: null, mixed: 'one', tags: { y: 1 } },
  );
  expect(types).toEqual({
    price: 'double',
    name: 'string',
    isNew: 'boolean',
    mixed: 'string',
    tags: 'string',
    nothing: 'string',
  });
  expect(rows).toEqual([
    { price: 1, name: 'a', isNew: true, mixed: '1', tags: '["x"]', nothing: undefined },
    { price: 2.5, name: 'b', isNew: undefined, mixed: 'one', tags: '{"y":1}', nothing: undefined },
  ]);
});

describe('items of more than 1,000 keys together', () => {
  const keys = (from: number, to: number) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, i) => [`k${from + i}`, 1]));

  test('have columns for the first ones, and those with others are whole in the column `item`', () => {
    const [first, both] = [keys(0, 1000), { k0: 2, k1000: 'x', k1001: 'y' }];
    expect(Object.keys(tableOf(first).types)).toHaveLength(1000);
    const { types, rows } = tableOf(first, both);
    expect(Object.keys(types)).toEqual([...Object.keys(first), 'item']);
    expect(rows[0]).toEqual({ ...first, item: undefined });
    expect(rows[1]).toMatchObject({ k0: 2, k1: undefined, item: '{"k0":2,"k1000":"x","k1001":"y"}' });
  });

  test('lose nothing of a key that has the name of this column', () => {
    const { types, rows } = tableOf({ Item: 'x', item: 'y', k: 1 }, keys(0, 2000));
    expect(Object.keys(types).filter((name) => /item/i.test(name))).toEqual(['item']);
    expect(rows[0]).toMatchObject({ k: 1, item: '{"Item":"x","item":"y","k":1}' });
  });

  test('are known by the types that were stored between two calls', () => {
    const first = createItemColumns();
    first.add(keys(0, 5000));
    expect(first.types()).toHaveLength(1001);
    const next = createItemColumns(JSON.parse(JSON.stringify(first.types())));
    next.add({ another: 1 });
    expect(next.columns()).toEqual(first.columns());
  });
});

test('a key that every object inherits is a key like others', () => {
  const { rows } = tableOf({ constructor: 1 }, JSON.parse('{"toString":"x","__proto__":2}'));
  expect(rows.map((row) => Object.entries(row))).toEqual([
    [
      ['constructor', 1],
      ['toString', undefined],
      ['__proto__', undefined],
    ],
    [
      ['constructor', undefined],
      ['toString', 'x'],
      ['__proto__', 2],
    ],
  ]);
});
