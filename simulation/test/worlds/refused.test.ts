/** A world that broke an invariant: a host was given up at its robots.txt, and a page was requested by the rules of before. */
import { expect, test } from 'vitest';
import { FAULT_NAMES } from '../../models/faults.ts';
import { runWorld } from '../../worlds/world.ts';

test('a host that is given up at its robots.txt gets no further request', async () => {
  const { violations } = await runWorld({ seed: 5, faults: FAULT_NAMES, refused: true });
  expect(violations).toEqual([]);
});
