import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { FAULT_NAMES } from '../../models/faults.ts';
import { T0 } from '../../models/virtual-time.ts';
import { runWorld } from '../../worlds/world.ts';
import { HOME, makeFacts, request, struck, violationsOf } from '../invariants/made-facts.ts';

test.each([3, 34, 41])('world %d, in which a crawl is deleted, keeps all promises', async (seed) => {
  const { violations } = await runWorld({ seed, faults: FAULT_NAMES, deletes: true });
  expect(violations).toEqual([]);
});

describe('deleted', () => {
  const deletion = {
    id: 'gone',
    config: parseConfig({ contact: 'https://sim.test/gone' }),
    stoppedAt: T0 + 10_000,
    isDone: true,
    heads: new Map(),
    requests: [request(HOME, 12, 12.5)],
    left: [],
  };
  const broken = (more: object, strikes = {}) =>
    violationsOf('deleted', makeFacts({ deletion: { ...deletion, ...more }, ...strikes }));

  test('a request within three seconds is right, and a later one is found', () => {
    expect(broken({})).toEqual([]);
    const late = { requests: [request(HOME, 14, 14.5)] };
    expect(broken(late)).toEqual([expect.stringContaining(`requested ${HOME} 4.000 s later`)]);
    expect(broken(late, { strikes: struck('workerFrozen') })).toEqual([]);
  });

  test('data that is left is found, and a deletion that does not end', () => {
    expect(broken({ left: ['gone totals#1'] })).toEqual([
      expect.stringContaining('gone totals#1 is still there'),
    ]);
    expect(broken({ left: ['gone totals#1'] }, { strikes: struck('clockStepped') })).toEqual([]);
    expect(broken({ isDone: false })).toEqual([expect.stringContaining('gone was not deleted within a day')]);
  });
});
