import { expect, test } from 'vitest';
import {
  countVanishing,
  isVanished,
  NOTHING_VANISHED,
  type Vanishing,
} from '../../../shared/core/recrawl/vanished-site.ts';

const NOW = Date.UTC(2026, 10, 25);
const DAY = 86_400_000;

/** `.`: a page is there; `x`: 404. */
const after = (answers: string, from: Vanishing = NOTHING_VANISHED, now = NOW): Vanishing =>
  [...answers].reduce((known, answer) => countVanishing(known, answer === 'x', now), from);

test.each([
  ['a few pages are gone', 'xxxx', false],
  ['one of three is gone, always', '..x'.repeat(50), false],
  ['all are, after many that were there', `${'.'.repeat(50)}xxxxxxxx`, true],
  ['all are, from the first refetch on', 'xxxxxxx', true],
  ['they are back', `xxxxxxxxxxxx${'.'.repeat(8)}`, false],
])('%s', (_, answers, expected) => {
  expect(isVanished(after(answers), NOW)).toBe(expected);
});

test('after four weeks the host is believed; until it has pages again', () => {
  const vanished = after('xxxxxxxxxxx');
  expect(isVanished(vanished, NOW + 27 * DAY)).toBe(true);
  const later = after('xxxx', vanished, NOW + 29 * DAY);
  expect(isVanished(later, NOW + 29 * DAY)).toBe(false);
  const back = after('..........', later, NOW + 30 * DAY);
  expect(isVanished(after('xxxxxxxxxxx', back, NOW + 40 * DAY), NOW + 40 * DAY)).toBe(true);
});
