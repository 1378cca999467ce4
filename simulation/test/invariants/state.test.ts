import { describe, expect, test } from 'vitest';
import { NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import { FLAG_VALUE, SIM_FLAG, SIM_ITEMS } from '../../worlds/sim-hooks.ts';
import { crawlFacts, makeFacts, violationsOf } from './made-facts.ts';

/** The crawl of the facts whose first host's head counts 2 items, with these values of the state. */
function brokenState(state: Readonly<Record<string, string>>) {
  const crawl = crawlFacts();
  const [first, ...others] = crawl.hosts.values();
  const head = { ...first!.head, totals: { ...(first!.head.totals ?? NO_TOTALS), hooks: { items: 2 } } };
  const hosts = new Map([{ ...first!, head }, ...others].map((host) => [host.host, host] as const));
  const kept = Object.entries(state).map(
    ([key, value]) => [key.replace('HOST', first!.host), value] as const,
  );
  return violationsOf('stateOnce', makeFacts({ crawls: [{ ...crawl, hosts, state: new Map(kept) }] }));
}

describe('stateOnce', () => {
  test('as many changes as items that the heads count are right', () => {
    expect(brokenState({ [SIM_ITEMS]: '2', [`${SIM_ITEMS} HOST`]: '2' })).toEqual([]);
  });

  test('a change that is lost, or made twice, is found', () => {
    expect(brokenState({ [SIM_ITEMS]: '2' })).toEqual([
      expect.stringContaining('counts 2 items, and the state 0'),
    ]);
    expect(brokenState({ [SIM_ITEMS]: '3', [`${SIM_ITEMS} HOST`]: '2' })).toEqual([
      expect.stringContaining('the heads count 2 items, and the state 3'),
    ]);
  });

  test('a flag is set or not there', () => {
    const counts = { [SIM_ITEMS]: '2', [`${SIM_ITEMS} HOST`]: '2' };
    expect(brokenState({ ...counts, [`${SIM_FLAG} HOST`]: FLAG_VALUE })).toEqual([]);
    expect(brokenState({ ...counts, [`${SIM_FLAG} HOST`]: '1' })).toEqual([expect.stringContaining('is 1')]);
  });
});
