import { expect, test } from 'vitest';
import {
  changeGroups,
  changesEvents,
  MAX_CHANGE_BYTES,
  MAX_CHANGES,
} from '../../../shared/services/webhook/change-events.ts';

test('lines stay in order, in groups that are no larger than an event may be', () => {
  const lines = Array.from({ length: 1000 }, (_, i) => 'x'.repeat((i * 7919) % 3000) + i);
  lines.splice(500, 0, 'y'.repeat(2 * MAX_CHANGE_BYTES));
  const groups = changeGroups(lines);
  expect(groups.flat()).toEqual(lines);
  for (const group of groups) {
    expect(group.length).toBeLessThanOrEqual(MAX_CHANGES);
    if (group.length > 1) expect(Buffer.byteLength(group.join('\n'))).toBeLessThanOrEqual(MAX_CHANGE_BYTES);
  }
  expect(groups.length).toBeLessThan(40);
  expect(changeGroups([])).toEqual([]);
});

test.each([
  ['as many lines as an event may have', Array(200).fill('x'), [100, 100]],
  [
    'as many bytes as an event may have, with the end of each line',
    ['a', 'b', 'c'].map((x) => x.repeat(29_999)),
    [2, 1],
  ],
  ['one byte more', ['a'.repeat(29_999), 'b'.repeat(30_000), 'c'], [1, 2]],
  ['characters of two bytes', ['ä'.repeat(14_999), 'ä'.repeat(15_000), 'c'], [2, 1]],
  ['a long line, and short ones around it', ['a', 'b'.repeat(70_000), 'c', 'd'], [1, 1, 2]],
  ['one line', ['a'], [1]],
])('%s', (_, lines, sizes) => {
  const groups = changeGroups(lines);
  expect(groups.map(({ length }) => length)).toEqual(sizes);
  expect(groups.flat()).toEqual(lines);
});

test('the event of the same changes has the same id at each try', () => {
  const lines = ['{"id":"1 new a"}', '{"id":"2 gone b"}'];
  const [event] = changesEvents('c', lines, 0);
  expect(event).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    type: 'pagesChanged',
    time: '1970-01-01T00:00:00.000Z',
    crawl: 'c',
    data: { changes: [{ id: '1 new a' }, { id: '2 gone b' }] },
  });
  expect(changesEvents('c', lines, 60_000)).toEqual([{ ...event, time: '1970-01-01T00:01:00.000Z' }]);
  for (const [other] of [changesEvents('d', lines, 0), changesEvents('c', lines.slice(1), 0)])
    expect(other?.id).not.toBe(event?.id);
});

test('hosts that refuse are an event of their own', () => {
  const lines = ['{"id":"3 1 a","refusal":"challenged"}', '{"id":"1 new a"}'];
  expect(changesEvents('c', lines, 0).map(({ type, data }) => [type, data])).toEqual([
    ['pagesChanged', { changes: [{ id: '1 new a' }] }],
    ['hostsRefused', { hosts: [{ id: '3 1 a', refusal: 'challenged' }] }],
  ]);
});

test('visits of sites are an event of their own, with an id of its own', () => {
  const lines = ['{"id":"1 new a"}', '{"id":"2 done b","outcome":"done"}'];
  const events = changesEvents('c', lines, 0);
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    ['pagesChanged', { changes: [{ id: '1 new a' }] }],
    ['sitesVisited', { sites: [{ id: '2 done b', outcome: 'done' }] }],
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(2);
});
