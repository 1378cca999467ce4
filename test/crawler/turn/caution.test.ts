import { describe, expect, test } from 'vitest';
import type { HostCaution } from '../../../shared/core/frontier/head.ts';
import { afterTurn, cautionOf, TurnCaution } from '../../../shared/crawler/turn/caution.ts';

const TURN_URLS = 400;

describe('the caution of a turn', () => {
  test.each<[string, HostCaution | undefined, number, HostCaution | undefined]>([
    ['nothing was lost', undefined, 0, undefined],
    ['nothing was lost lately', { maxUrls: 8 }, 0, { maxUrls: 8 }],
    ['a usual turn was lost', undefined, 1, { maxUrls: 1 }],
    ['a usual turn was lost, and the small one after it', undefined, 2, { maxUrls: 1, announced: 4 }],
    ['a small turn was lost', { maxUrls: 32 }, 1, { maxUrls: 1, announced: 64 }],
    ['a turn was lost that announced', { maxUrls: 4, announced: 60 }, 1, { maxUrls: 1, announced: 60 }],
  ])('after %s', (_, stored, lost, expected) => {
    expect(cautionOf(stored, lost)).toEqual(expected);
  });
});

describe('after a turn', () => {
  test.each<[string, HostCaution, number, HostCaution | undefined]>([
    ['the next one may be twice as long', { maxUrls: 4 }, 4, { maxUrls: 8 }],
    [
      'that has fetched nothing, nothing changes',
      { maxUrls: 4, announced: 9 },
      0,
      { maxUrls: 4, announced: 9 },
    ],
    ['fewer URLs are still to be announced', { maxUrls: 2, announced: 9 }, 2, { maxUrls: 4, announced: 7 }],
    ['that has announced the last, no more are', { maxUrls: 2, announced: 2 }, 2, { maxUrls: 4 }],
    ['of usual length the host is one like any other', { maxUrls: 256 }, 100, undefined],
  ])('%s', (_, caution, fetched, expected) => {
    expect(afterTurn(caution, fetched, TURN_URLS)).toEqual(expected);
  });

  test('a host returns to usual turns after nine of them', () => {
    let caution = cautionOf(undefined, 1);
    let turns = 0;
    for (; caution; turns++) caution = afterTurn(caution, caution.maxUrls, TURN_URLS);
    expect(turns).toBe(9);
  });
});

describe('a turn', () => {
  const open = (caution: HostCaution | undefined, { isApart = false, isSuspected = false } = {}) =>
    new TurnCaution(caution, { turnMaxPages: TURN_URLS, isApart, isSuspected });

  test.each([
    [undefined, {}, TURN_URLS, false],
    [{ maxUrls: 16 }, {}, 16, false],
    [{ maxUrls: 16, announced: 30 }, {}, 8, true],
    [{ maxUrls: 16, announced: 30 }, { isApart: true }, 16, true],
    [{ maxUrls: 1024, announced: 3000 }, { isApart: true }, TURN_URLS, true],
    [undefined, { isSuspected: true }, 1, true],
    [{ maxUrls: 4 }, { isSuspected: true }, 4, true],
    [undefined, { isApart: true }, 1, true],
  ])('of %j, %j, fetches %i URLs at most, and announces them: %s', (caution, how, maxUrls, isAnnouncing) => {
    const turn = open(caution, how);
    expect([turn.maxUrls, turn.isAnnouncing]).toEqual([maxUrls, isAnnouncing]);
  });

  test('says in its token how the next one goes on', () => {
    const next = (caution: HostCaution | undefined) => open(caution).ofToken();
    expect(next(undefined)).toEqual({});
    expect(next({ maxUrls: 2 })).toEqual({ caution: 1 });
    expect(next({ maxUrls: 2, announced: 2 })).toEqual({ caution: 2 });
  });

  test('counts what it has fetched', () => {
    const turn = open({ maxUrls: 2, announced: 3 });
    turn.countUrl();
    expect([turn.stored, turn.next()]).toEqual([
      { maxUrls: 2, announced: 3 },
      { maxUrls: 4, announced: 2 },
    ]);
  });
});
