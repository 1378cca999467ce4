/** Worlds whose pages scripts fill. */
import { expect, test } from 'vitest';
import { FAULT_NAMES } from '../../models/faults.ts';
import { runWorld } from '../../worlds/world.ts';

test.each([
  ['without faults', 8, []],
  ['whose requests took longer than their page', 12, FAULT_NAMES],
] as const)('a world %s renders its pages', async (_, seed, faults) => {
  const { violations } = await runWorld({ seed, faults, rendered: true });
  expect(violations).toEqual([]);
});

test('the same seed renders in the same way', async () => {
  const run = () => runWorld({ seed: 6, faults: FAULT_NAMES, rendered: true }, { timeline: true });
  const [{ timeline: first = [] }, { timeline: second = [] }] = [await run(), await run()];
  expect(first.filter(({ what }) => what.startsWith('rendered ')).length).toBeGreaterThan(0);
  expect(second).toEqual(first);
});
