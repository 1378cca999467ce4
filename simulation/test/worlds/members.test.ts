/** Worlds with accounts that broke an invariant. */
import { expect, test } from 'vitest';
import { FAULT_NAMES } from '../../models/faults.ts';
import type { WorldSpec } from '../../worlds/spec.ts';
import { runWorld } from '../../worlds/world.ts';

test.each<[what: string, spec: WorldSpec]>([
  ['requests of a login that was given up are counted', { seed: 14, faults: [], members: true }],
  [
    'a login on a closed connection does not count as a failure',
    { seed: 7, faults: FAULT_NAMES, members: true },
  ],
])('%s', async (_, spec) => {
  expect((await runWorld(spec)).violations).toEqual([]);
});
