import { expect, test } from 'vitest';
import {
  StateValues,
  type StoredValue,
  storedValueIn,
  valueAttributes,
} from '../../../../shared/engines/aws/state/state-values.ts';
import type { Item } from '../../../../shared/engines/aws/table/item.ts';

const stored = (json: string, version = `v${json}`): StoredValue => ({ json, version });
const itemOf = (key: string, json: string): Item => ({ sk: { S: key }, ...valueAttributes(stored(json)) });

/** Items that are read one after another, with something that happens in between. */
async function* reading(items: readonly (Item | (() => void))[]): AsyncGenerator<Item> {
  for (const item of items) {
    await Promise.resolve();
    if (typeof item === 'function') item();
    else yield item;
  }
}

const all = (values: StateValues) => ({
  entries: Object.fromEntries(values.entries()),
  size: values.size,
  chars: values.chars,
});

test('values are set, replaced and removed, and their characters counted', () => {
  const values = new StateValues();
  expect(all(values)).toEqual({ entries: {}, size: 0, chars: 0 });
  values.set('a', stored('12'));
  values.set('b', stored('345'));
  expect(all(values)).toEqual({ entries: { a: '12', b: '345' }, size: 2, chars: 5 });
  values.set('b', stored('6'));
  values.set('c', undefined);
  expect(all(values)).toEqual({ entries: { a: '12', b: '6' }, size: 2, chars: 3 });
  values.set('a', undefined);
  expect(all(values)).toEqual({ entries: { b: '6' }, size: 1, chars: 1 });
  expect([values.get('a'), values.get('b'), values.stored('b')]).toEqual([undefined, '6', stored('6')]);
});

test('what is read replaces all: values that others changed, made and deleted', async () => {
  const values = new StateValues();
  for (const key of ['changed', 'deleted', 'deleted too']) values.set(key, stored('1'));
  await values.refresh(reading([itemOf('changed', '22'), itemOf('made', '333')]));
  expect(all(values)).toEqual({ entries: { changed: '22', made: '333' }, size: 2, chars: 5 });
  expect(values.stored('made')).toEqual(stored('333'));
});

test('what this process sets during a reading is newer than what that finds', async () => {
  const values = new StateValues();
  values.set('removed', stored('1'));
  values.set('kept', stored('1'));
  await values.refresh(
    reading([
      itemOf('removed', '1'),
      () => {
        values.set('removed', undefined);
        values.set('kept', stored('2'));
        values.set('new', stored('3'));
      },
      itemOf('kept', '1'),
      itemOf('other', '4'),
    ]),
  );
  expect(all(values).entries).toEqual({ kept: '2', new: '3', other: '4' });
  // The next reading knows nothing of that.
  await values.refresh(reading([itemOf('kept', '5'), itemOf('removed', '6')]));
  expect(all(values).entries).toEqual({ kept: '5', removed: '6' });
});

test('a reading that fails leaves all as it was', async () => {
  const values = new StateValues();
  values.set('a', stored('1'));
  const failing = () =>
    reading([
      itemOf('a', '2'),
      () => {
        throw new Error('no table');
      },
    ]);
  await expect(values.refresh(failing())).rejects.toThrow('no table');
  expect(all(values).entries).toEqual({ a: '1' });
});

test('a value is stored with its version, and no item is no value', () => {
  expect(storedValueIn(itemOf('k', '"x"'))).toEqual(stored('"x"'));
  expect(storedValueIn(undefined)).toBeUndefined();
});
