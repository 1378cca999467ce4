import { expect, test } from 'vitest';
import { createItemColumns, itemRow } from '../../shared/outputs/parquet/item-table.ts';

function tableOf(...items: Readonly<Record<string, unknown>>[]) {
  const found = createItemColumns();
  for (const item of items) found.add(item);
  const columns = found.columns();
  return {
    types: Object.fromEntries(columns.map(({ name, type }) => [name, type])),
    rows: items.map((item) => itemRow(item, columns)),
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

test('items with too many keys are refused', () => {
  const keys = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`k${i}`, 1]));
  expect(() => tableOf(keys)).toThrow(/at most 1000 different keys/);
});

test('a key that every object inherits is a key like others', () => {
  const { rows } = tableOf({ constructor: 1 }, { toString: 'x' });
  expect(rows).toEqual([
    Object.fromEntries([
      ['constructor', 1],
      ['toString', undefined],
    ]),
    Object.fromEntries([
      ['constructor', undefined],
      ['toString', 'x'],
    ]),
  ]);
});
