import { describe, expect, test } from 'vitest';
import {
  type LastLook,
  needsDueLook,
  needsFarLook,
  noteSeen,
  planLook,
  unseen,
} from '../../functions/look-plan.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A crawl that the process has looked at a minute ago, times as minutes before now. */
const lookedAt = (more: Partial<LastLook> = {}): LastLook => ({
  ...unseen('news', NOW),
  restMs: 10 * MINUTE,
  isSeen: true,
  dueLookedAt: NOW - MINUTE,
  farLookedAt: NOW - MINUTE,
  nextDueAt: NOW + DAY,
  lastAt: NOW - 2 * HOUR,
  ...more,
});
const IDLE = { isBusy: false, isFirstPass: false };

describe('the index of due hosts is read', () => {
  const table: [string, Partial<LastLook>, { hostsDue?: number; isDue?: boolean }, boolean][] = [
    ['if the agenda says that a host is due', {}, { isDue: true }, true],
    ['not while the next host is not due', {}, {}, false],
    ['when the next host is due', { nextDueAt: NOW }, {}, true],
    ['once in a quarter of an hour', { dueLookedAt: NOW - 15 * MINUTE }, {}, true],
    ['not before', { dueLookedAt: NOW - 14 * MINUTE }, {}, false],
    ['after five minutes where hosts are awake', { dueLookedAt: NOW - 6 * MINUTE, isAwake: true }, {}, true],
    ['not before, as they may come to their turns', { isAwake: true, nextDueAt: undefined }, {}, false],
    ['when the clock was set back', { dueLookedAt: NOW + HOUR }, {}, true],
    ['again if it showed no host', { nextDueAt: undefined }, {}, true],
    ['if no host is due by the counters since', { lastAt: NOW - MINUTE }, { hostsDue: 0 }, true],
    ['not again for that', {}, { hostsDue: 0 }, false],
    ['before the crawl rests', { lastAt: NOW - 11 * MINUTE, dueLookedAt: NOW - 3 * MINUTE }, {}, true],
    ['at the first look at a crawl that rests', { ...unseen('news', NOW), lastAt: NOW - DAY }, {}, true],
    [
      'at the first look if no host is due',
      { ...unseen('news', NOW), lastAt: NOW - 5 },
      { hostsDue: 0 },
      true,
    ],
  ];
  test.each(table)('%s', (_, last, { hostsDue = 3, isDue = false }, expected) => {
    const of = lookedAt(last);
    expect(needsDueLook(of, { lastAt: of.lastAt, hostsDue }, isDue, NOW)).toBe(expected);
  });

  test('at the first looks of a process not for all crawls that are at work', () => {
    const first = Array.from({ length: 300 }, (_, i) => ({ ...unseen(`c${i}`, NOW), lastAt: NOW - 1000 }));
    const needs = (ms: number) =>
      first.filter((last) => needsDueLook(last, { lastAt: NOW, hostsDue: 1 }, false, NOW + ms)).length;
    expect(needs(0)).toBeLessThan(10);
    expect(needs(8 * MINUTE)).toBeGreaterThan(100);
    expect(needs(15 * MINUTE)).toBe(300);
  });

  test('for hosts that are due too far ahead once an hour, and where no host is due', () => {
    const last = lookedAt();
    const seen = { lastAt: last.lastAt, hostsDue: 1 };
    expect(needsFarLook(last, seen, NOW)).toBe(false);
    expect(needsFarLook(last, { ...seen, hostsDue: 0 }, NOW)).toBe(true);
    expect(needsFarLook(last, seen, NOW + HOUR)).toBe(true);
    expect(needsFarLook({ ...last, farLookedAt: NOW + HOUR }, seen, NOW)).toBe(true);
  });
});

describe('the next look at a crawl', () => {
  const table: [string, Partial<LastLook>, Partial<Parameters<typeof planLook>[2]>, number | 'soon'][] = [
    ['that rests is when its next host is due', { nextDueAt: NOW + 20 * MINUTE }, {}, NOW + 20 * MINUTE],
    ['is when its time ends', {}, { endsAt: NOW + 5 * MINUTE }, NOW + 5 * MINUTE],
    ['is when an announcement is tried again', {}, { announceAt: NOW + 4 * MINUTE }, NOW + 4 * MINUTE],
    ['is in ten minutes before the first pass is noted', {}, { isFirstPass: true }, NOW + 10 * MINUTE],
    ['that is at work is soon', { lastAt: NOW - 9 * MINUTE }, {}, 'soon'],
    ['whose workers have wrong clocks is soon', { changedAt: NOW - MINUTE }, {}, 'soon'],
    ['whose token may come back is soon', { nextDueAt: NOW + 15 * MINUTE }, {}, 'soon'],
    ['that shows no host is soon', { nextDueAt: undefined }, {}, 'soon'],
    ['whose hosts are awake is soon', { isAwake: true }, {}, 'soon'],
    [
      'whose index was read before all commits are in it is soon',
      { dueLookedAt: NOW - 2 * HOUR },
      {},
      'soon',
    ],
    ['that has something left to do is soon', {}, { isBusy: true }, 'soon'],
    ['that was not looked through is soon', { isSeen: false }, {}, 'soon'],
  ];
  test.each(table)('%s', (_, last, waits, expected) => {
    const next = planLook('c16', lookedAt(last), { ...IDLE, ...waits }, NOW);
    // The net of this crawl is later.
    if (expected === 'soon') expect(next).toMatchObject({ isSoon: true, at: NOW + 40_000 });
    else expect(next).toMatchObject({ isSoon: false, at: expected });
  });

  test('is within an hour in any case', () => {
    const { at, isSoon } = planLook('news', lookedAt(), IDLE, NOW);
    expect(isSoon).toBe(false);
    expect(at - NOW).toBeLessThanOrEqual(HOUR);
  });

  test.each([
    [{ nextDueAt: undefined }, true],
    [{ nextDueAt: NOW - 5 }, true],
    [{ isAwake: true }, true],
    [{ lastAt: NOW }, false],
  ])('says to other processes that hosts may be due: %o', (last, isUnsure) => {
    expect(planLook('news', lookedAt(last), IDLE, NOW).isUnsure).toBe(isUnsure);
  });
});

test('a crawl is at work when its counters have changed, whatever the clocks of its workers say', () => {
  const last = { ...unseen('news', NOW) };
  noteSeen(last, { lastAt: NOW - DAY, hostsDue: 1 }, NOW);
  expect(last.changedAt).toBe(Number.NEGATIVE_INFINITY);
  noteSeen(last, { lastAt: NOW - DAY + 1, hostsDue: 1 }, NOW + 5);
  expect(last.changedAt).toBe(NOW + 5);
  noteSeen(last, { lastAt: NOW - DAY + 1, hostsDue: 1 }, NOW + MINUTE);
  expect(last.changedAt).toBe(NOW + 5);
});
