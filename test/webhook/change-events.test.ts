import { expect, test } from 'vitest';
import {
  changeGroups,
  changesEvent,
  MAX_CHANGE_BYTES,
  MAX_CHANGES,
} from '../../shared/webhook/change-events.ts';

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

test('the event of the same changes has the same id at each try', () => {
  const lines = ['{"id":"1 new a"}', '{"id":"2 gone b"}'];
  const event = changesEvent('c', lines, 0);
  expect(event).toMatchObject({
    type: 'pagesChanged',
    crawl: 'c',
    data: { changes: [{ id: '1 new a' }, { id: '2 gone b' }] },
  });
  expect(changesEvent('c', lines, 60_000).id).toBe(event.id);
  expect(changesEvent('d', lines, 0).id).not.toBe(event.id);
});
