import { describe, expect, test } from 'vitest';
import {
  grownTo,
  isSurplus,
  mayGrow,
  minRoomOf,
  needsSuccessor,
  type PoolMember,
  readPauseMs,
  startTimes,
} from '../../../shared/crawler/worker/pool-plan.ts';

/** Workers `a`, `b`, ... of 100 hosts at most, with these numbers of hosts; negative ones are ending. */
const pool = (...hosts: readonly number[]): PoolMember[] =>
  hosts.map((count, i) => ({
    id: String.fromCharCode(97 + i),
    hosts: Math.abs(count),
    maxHosts: 100,
    isEnding: Object.is(count, -0) || count < 0,
  }));

describe('a pool grows', () => {
  test.each([
    ['when its workers have hardly any room', pool(95, 92), true],
    ['not while one has room for many hosts', pool(100, 20), false],
    ['whatever an ending worker still serves', pool(95, -10), true],
  ])('%s', (_, members, expected) => {
    expect(mayGrow('a', members)).toBe(expected);
  });

  test.each([1, 2, 5, 10, 20, 50, 100, 200, 500])(
    'when each of its workers of %i hosts has no room to receive more',
    (maxHosts) => {
      const hosts = maxHosts - minRoomOf(maxHosts) + 1;
      const members = pool(0, 0, 0).map((member) => ({ ...member, maxHosts, hosts }));
      expect(mayGrow('a', members)).toBe(true);
    },
  );

  test('by the word of one worker', () => {
    const members = pool(100, 100, 100);
    expect(members.map(({ id }) => mayGrow(id, members))).toEqual([true, false, false]);
  });

  test.each([
    [pool(100), 0, 1],
    [pool(100), 1, 2],
    [pool(100), 10_000, 2],
    [pool(100, 100, 100, 100), 50, 5],
    [pool(100, 100, 100, 100), 10_000, 6],
    [pool(100, -50), 10_000, 2],
  ])('%j for %i messages to %i workers', (members, messages, expected) => {
    expect(grownTo(members, messages, 50)).toBe(expected);
  });

  test('to no more than it may have', () => {
    expect(grownTo(pool(100, 100, 100, 100), 10_000, 5)).toBe(5);
    expect(grownTo(pool(100, 100, 100, 100), 10_000, 3)).toBe(4);
  });
});

describe('a pool shrinks', () => {
  test('by the worker with the fewest hosts, when the others have room for all', () => {
    const members = pool(40, 20, 30);
    expect(members.map(({ id }) => isSurplus(id, members))).toEqual([false, true, false]);
  });

  test('by one of two with equally many', () => {
    const members = pool(10, 10);
    expect(members.filter(({ id }) => isSurplus(id, members))).toHaveLength(1);
  });

  test('by its small worker first, once a full-size one has room for all', () => {
    const [small, full] = pool(55, 3) as [PoolMember, PoolMember];
    const members = [{ ...small, maxHosts: 60, isSmall: true }, full];
    expect(members.map(({ id }) => isSurplus(id, members))).toEqual([true, false]);
    const more = [
      { ...small, maxHosts: 60, isSmall: true },
      { ...full, hosts: 30 },
    ];
    expect(more.map(({ id }) => isSurplus(id, more))).toEqual([false, false]);
  });

  test('never to nothing, and not so far that it would be full', () => {
    expect(isSurplus('a', pool(0))).toBe(false);
    expect(isSurplus('b', pool(70, 10))).toBe(false);
    expect(isSurplus('b', pool(50, 10, -30))).toBe(false);
  });

  test('and does not grow again by that: what is left is never full', () => {
    for (let hosts = 0; hosts <= 300; hosts++) {
      const members = pool(...[0, 1, 2].map((i) => Math.floor((hosts + i) / 3)));
      const least = members.find(({ id }) => isSurplus(id, members));
      if (!least) continue;
      expect(mayGrow('a', pool(Math.ceil(hosts / 2), Math.floor(hosts / 2)))).toBe(false);
    }
  });
});

test.each([
  ['alone, with hosts', pool(30), true],
  ['alone, without hosts: messages may come right after', pool(0), true],
  ['without hosts beside a worker that has room', pool(0, 30), false],
  ['beside a worker that has room', pool(30, 30), false],
  ['beside one that is full', pool(30, 90), true],
  ['beside one that is ending, too', pool(30, -10), true],
])('a worker whose time is up needs a successor: %s', (_, members, expected) => {
  expect(needsSuccessor('a', members)).toBe(expected);
});

describe('workers are started for hosts that come back', () => {
  test.each([
    ['at their time', [60], [60]],
    ['once for those of ten seconds, at the last one', [70, 60, 65], [70]],
    ['and each within ten seconds', [60, 65, 71, 90], [65, 71, 90]],
    ['also if they are a moment late', [-1], [-1]],
    ['not if their time is over for long', [-60, 30], [30]],
  ])('%s', (_, seconds, expected) => {
    const now = 1_000_000;
    const times = seconds.map((s) => now + s * 1000);
    expect(startTimes(times, now).map((time) => (time - now) / 1000)).toEqual(expected);
  });
});

describe('the reads of a pool', () => {
  const ofSize = (size: number): PoolMember[] =>
    Array.from({ length: size }, (_, i) => ({ ...pool(90)[0]!, id: `w${String(i).padStart(5, '0')}` }));

  test.each([24, 100, 300, 500, 1000, 3000])('of %i workers are at most 1,100 units a second', (size) => {
    const members = ofSize(size);
    const unitsEach = Math.ceil(size / 24);
    const units = members
      .slice(0, 3)
      .map(({ id }) => (1000 * unitsEach) / Math.max(5000, readPauseMs(id, members)));
    expect(units[0]! + units[1]! * (size - 1)).toBeLessThanOrEqual(1100);
    expect(units[1]).toBe(units[2]);
  });

  test('are not delayed in pools of up to 300', () => {
    const members = ofSize(300);
    expect(readPauseMs('w00299', members)).toBeLessThanOrEqual(5000);
  });

  test('are not delayed for the worker that starts others, of those that take on hosts', () => {
    const [first, ...others] = ofSize(1000);
    expect(readPauseMs('w00000', [first!, ...others])).toBe(0);
    expect(readPauseMs('w00001', [first!, ...others])).toBe(42_000);
    expect(readPauseMs('w00001', [{ ...first!, isEnding: true }, ...others])).toBe(0);
  });
});
