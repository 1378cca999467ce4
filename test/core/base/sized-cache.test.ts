import { expect, test } from 'vitest';
import { createSizedCache } from '../../../shared/core/base/sized-cache.ts';

const open = (maxSize: number) => createSizedCache<number>({ maxSize, maxAgeMs: 100 });

test('values are there until they are old', () => {
  const cache = open(1e6);
  cache.set('a', 1, { size: 10, at: 0 });
  expect([cache.get('a', 99), cache.get('a', 100), cache.get('a', 0), cache.get('b', 0)]).toEqual([
    1,
    undefined,
    undefined,
    undefined,
  ]);
});

test('the oldest ones go if all together are too large, and a value that is set again is new', () => {
  const cache = open(10_000);
  cache.set('a', 1, { size: 4000, at: 0 });
  cache.set('b', 2, { size: 3000, at: 1 });
  cache.set('a', 3, { size: 4000, at: 2 });
  cache.set('c', 4, { size: 3000, at: 3 });
  expect(['a', 'b', 'c'].map((key) => cache.get(key, 3))).toEqual([3, undefined, 4]);
  cache.set('d', 5, { size: 20_000, at: 4 });
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key, 4))).toEqual(Array(4).fill(undefined));
});

test('values without size are not kept without end', () => {
  const cache = open(100_000);
  for (let i = 0; i < 1000; i++) cache.set(String(i), i, { size: 0, at: 0 });
  const left = Array.from({ length: 1000 }, (_, i) => cache.get(String(i), 0)).filter(
    (one) => one !== undefined,
  );
  expect([left.length < 100, left.at(-1)]).toEqual([true, 999]);
});
