import { describe, expect, test } from 'vitest';
import {
  admitGroup,
  closeGroup,
  keptGroups,
  restoreGroups,
  worthKeeping,
} from '../../../shared/core/frontier/group-map.ts';

describe('a group that is admitted', () => {
  const made = (weights: Record<string, number>, max: number) => {
    const open = new Map(Object.entries(weights).map(([key, weight]) => [key, { weight }]));
    const group = admitGroup(open, 'new', max, (weight) => ({ weight }));
    expect(open.get('new')).toBe(group);
    return [group.weight, [...open.keys()]];
  };

  test('takes no other’s place while there is room', () => {
    expect(made({}, 1)).toEqual([0, ['new']]);
    expect(made({ a: 5, b: 3 }, 3)).toEqual([0, ['a', 'b', 'new']]);
  });

  test('takes place and weight of the one with the least, of the first such one', () => {
    expect(made({ a: 5, b: 3, c: 4 }, 3)).toEqual([3, ['a', 'c', 'new']]);
    expect(made({ a: 3, b: 3 }, 2)).toEqual([3, ['b', 'new']]);
  });
});

test('a group that is closed is open no more; beyond the most, the first one is forgotten', () => {
  const open = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  const closed = new Map<string, { group: string }>();
  for (const group of ['a', 'x', 'y']) closeGroup(open, closed, 2, { group });
  expect([...open.keys()]).toEqual(['b']);
  expect([...closed.keys()]).toEqual(['x', 'y']);
  closeGroup(open, closed, 2, { group: 'x' });
  expect(closed.get('x')).toEqual({ group: 'x' });
});

test('groups are kept and restored: closed ones as they are, open ones packed', () => {
  const state = [{ group: 'c', isClosed: true as const }, { group: 'o' }, { group: 'p' }];
  const { open, closed } = restoreGroups<(typeof state)[number], { name: string; pages: number }>(
    state as never,
    ({ group }) => ({ name: group, pages: 2 }),
  );
  expect([...open]).toEqual([
    ['o', { name: 'o', pages: 2 }],
    ['p', { name: 'p', pages: 2 }],
  ]);
  expect([...closed]).toEqual([['c', state[0]]]);
  expect(keptGroups(open, closed as never, ({ name }) => ({ group: name }))).toEqual([
    state[0],
    state[1],
    state[2],
  ]);
});

test('of groups that were met once, the last four are kept, in their place', () => {
  const pages = { a: 1, b: 2, c: 1, d: 0, e: 1, f: 3, g: 1 };
  expect(worthKeeping(Object.entries(pages), ([, count]) => count).map(([name]) => name)).toEqual([
    'b',
    'c',
    'd',
    'e',
    'f',
    'g',
  ]);
  expect(worthKeeping(['x'], () => 1)).toEqual(['x']);
});
