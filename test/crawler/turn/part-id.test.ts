import { expect, test } from 'vitest';
import { newPartId, versionOfPart } from '../../../shared/crawler/turn/part-id.ts';

test('the name of a part says which version of the head it was made for', () => {
  const clock = { random: () => 0.5 };
  for (const version of [1, 7, 1234]) {
    const id = newPartId(version, clock);
    expect([`s${id}`, `r${id}.k`, `robots${id}`].map(versionOfPart)).toEqual(Array(3).fill(version));
  }
  // A part with another name counts as still wanted.
  expect(versionOfPart('other')).toBe(Number.MAX_SAFE_INTEGER);
});

test('parts of two attempts at one version have different names', () => {
  // However little they differ: 48 bits are drawn.
  const values = [0.1, 0.1 + 2 ** -47];
  const clock = { random: () => values.shift() as number };
  expect(newPartId(3, clock)).not.toBe(newPartId(3, clock));
});
