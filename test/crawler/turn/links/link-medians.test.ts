/** How many domains link to a crawl's median domain: read as seldom as that may be. */
import { describe, expect, test } from 'vitest';
import { createLinkMedians } from '../../../../shared/crawler/turn/links/link-medians.ts';

/** To half of the domains many link: with those that are assumed, the median is that number. */
const linkingBy = (linkers: number) => ({ [linkers]: 1000 });

function setUp({ isShared = false, hasElapsed = true } = {}) {
  const state = { at: 1000, wall: 50_000, linkers: 4, fails: false };
  const read: string[] = [];
  const registry = {
    isShared,
    async totals(id: string) {
      read.push(id);
      const { linkers, fails } = state;
      await new Promise((resolve) => setImmediate(resolve));
      if (fails) throw new Error('no table');
      return { linking: linkingBy(linkers) };
    },
  };
  const clock = { now: () => state.wall, ...(hasElapsed && { elapsed: () => state.at }) };
  const medians = createLinkMedians({ registry, clock } as never);
  const of = (id = 'c', used = 7) =>
    medians.of({ id, budget: { used: () => ({ linking: linkingBy(used) }) } } as never);
  return { of, read, state };
}

describe('the median of a crawl', () => {
  test('is read once a minute, whatever the wall clock says', async () => {
    const { of, read, state } = setUp();
    expect(await of()).toBe(4);
    state.linkers = 9;
    state.at += 59_999;
    state.wall += 1e9;
    expect(await of()).toBe(4);
    expect(read).toEqual(['c']);
    state.at += 1;
    expect(await of()).toBe(9);
    expect(read).toHaveLength(2);
  });

  test('is measured by the wall clock where there is no other', async () => {
    const { of, read, state } = setUp({ hasElapsed: false });
    await of();
    state.wall += 60_000;
    await of();
    expect(read).toHaveLength(2);
  });

  test('is read once by those who need it at the same time, and by itself for each crawl', async () => {
    const { of, read } = setUp();
    expect(await Promise.all([of(), of(), of('d')])).toEqual([4, 4, 4]);
    expect(read).toEqual(['c', 'd']);
  });

  test('that could not be read is read again by the next one', async () => {
    const { of, read, state } = setUp();
    state.fails = true;
    await expect(of()).rejects.toThrow('no table');
    state.fails = false;
    expect(await of()).toBe(4);
    expect(read).toHaveLength(2);
  });

  test('is that of the counts at hand where several processes read them anyway', async () => {
    const { of, read } = setUp({ isShared: true });
    expect(await of('c', 7)).toBe(7);
    expect(await of('c', 8)).toBe(8);
    expect(read).toEqual([]);
  });
});
