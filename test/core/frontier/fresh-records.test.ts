/** The records of a ledger that are in memory. */
import { describe, expect, test } from 'vitest';
import { FreshRecords } from '../../../shared/core/frontier/fresh-records.ts';
import { REQUISITE_RANK } from '../../../shared/core/frontier/rank.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';

const recordOf = (url: string, fields: Partial<UrlRecord> = {}): UrlRecord =>
  ({ url, state: 'waiting', depth: 1, level: 0, dueAt: 0, ...fields }) as UrlRecord;
const requisite = (url: string, fields: Partial<UrlRecord> = {}) =>
  recordOf(url, { kind: 'requisite', ...fields });
const sitemap = (url: string, fields: Partial<UrlRecord> = {}) =>
  recordOf(url, { kind: 'sitemap', ...fields });

/** Takes all that may be taken. */
function takeAll(fresh: FreshRecords, kind: 'page' | 'requisite' | 'sitemap', now = 0): string[] {
  const taken: string[] = [];
  while (fresh.firstRank(kind, now) !== undefined) taken.push(fresh.take(kind).url);
  return taken;
}

describe('records in memory', () => {
  test('are there with what was stored, and those that were put are changed', () => {
    const fresh = new FreshRecords([recordOf('a'), recordOf('b')], 0);
    expect([fresh.size, [...fresh.changed]]).toEqual([2, []]);
    fresh.put(recordOf('b', { depth: 2 }));
    fresh.put(recordOf('c'));
    expect([fresh.size, [...fresh.changed]]).toEqual([3, ['b', 'c']]);
    expect([fresh.get('b')?.depth, fresh.has('c'), fresh.has('d')]).toEqual([2, true, false]);
    expect([...fresh.values()].map(({ url }) => url)).toEqual(['a', 'b', 'c']);
    fresh.markStored();
    expect([fresh.size, [...fresh.changed]]).toEqual([3, []]);
  });

  test('are taken by kind, each once until it is given back', () => {
    const fresh = new FreshRecords([recordOf('page'), requisite('image'), sitemap('map')], 1);
    expect(fresh.firstRank('requisite', 0)).toBe(REQUISITE_RANK);
    for (const [kind, url] of [
      ['page', 'page'],
      ['requisite', 'image'],
      ['sitemap', 'map'],
    ] as const)
      expect(takeAll(fresh, kind)).toEqual([url]);
    expect([fresh.taken, fresh.isTaken('page'), fresh.isTaken('other')]).toEqual([3, true, false]);
    expect([fresh.giveBack('page'), fresh.giveBack('page'), fresh.taken]).toEqual([true, false, 2]);
    fresh.put(recordOf('page'));
    expect(takeAll(fresh, 'page')).toEqual(['page']);
  });

  test('that are put while they are taken are not taken by another', () => {
    const fresh = new FreshRecords([recordOf('a')], 0);
    takeAll(fresh, 'page');
    fresh.put(recordOf('a', { depth: 0 }));
    expect(fresh.firstRank('page', 0)).toBeUndefined();
    fresh.giveBack('a');
    fresh.put(recordOf('a', { depth: 0 }));
    expect(takeAll(fresh, 'page')).toEqual(['a']);
  });

  test('have the time of the first that is due, by kind', () => {
    const fresh = new FreshRecords([recordOf('a', { dueAt: 50 }), sitemap('map', { dueAt: 20 })], 0);
    expect([fresh.nextDueAt('page'), fresh.nextDueAt('sitemap'), fresh.nextDueAt('requisite')]).toEqual([
      50,
      20,
      undefined,
    ]);
    expect([takeAll(fresh, 'page', 49), takeAll(fresh, 'page', 50)]).toEqual([[], ['a']]);
  });

  test('of a URL that is another kind now are taken as that one', () => {
    const fresh = new FreshRecords([requisite('a')], 1);
    fresh.put(recordOf('a'));
    expect(fresh.waitingRequisites).toBe(0);
    expect([takeAll(fresh, 'requisite'), takeAll(fresh, 'page')]).toEqual([[], ['a']]);
  });
});

describe('requisites that wait', () => {
  test('are counted, those in runs among them', () => {
    const fresh = new FreshRecords([requisite('a')], 5);
    fresh.put(requisite('b'));
    expect(fresh.waitingRequisites).toBe(6);
    fresh.put(requisite('b', { depth: 2 }));
    fresh.put(recordOf('page'));
    expect(fresh.waitingRequisites).toBe(6);
    fresh.put(requisite('a', { state: 'fetched' }));
    expect(fresh.waitingRequisites).toBe(5);
    fresh.putInsteadOfRequisite(recordOf('in a run'));
    expect([fresh.waitingRequisites, fresh.has('in a run')]).toEqual([4, true]);
  });
});

describe('records that are to be fetched again', () => {
  const again = (url: string, dueAt: number) => recordOf(url, { state: 'fetched', dueAt });

  test('are taken by their time, and not among those that wait', () => {
    const fresh = new FreshRecords(
      [again('later', 70), again('soon', 30), recordOf('never', { state: 'gone' })],
      0,
    );
    expect([fresh.refetchDueAt(), fresh.firstRank('page', 100)]).toEqual([30, undefined]);
    expect([fresh.takeAgain().url, fresh.isTaken('soon'), fresh.refetchDueAt()]).toEqual(['soon', true, 70]);
    fresh.giveBack('soon');
    fresh.put(again('soon', 90));
    expect([fresh.takeAgain().url, fresh.takeAgain().url, fresh.refetchDueAt()]).toEqual([
      'later',
      'soon',
      undefined,
    ]);
  });

  test('from a run are here from then on, taken and changed', () => {
    const fresh = new FreshRecords([], 0);
    const record = again('a', 30);
    expect(fresh.takeFromRun(record)).toBe(record);
    expect([fresh.get('a'), fresh.isTaken('a'), [...fresh.changed]]).toEqual([record, true, ['a']]);
    expect(fresh.refetchDueAt()).toBeUndefined();
  });
});

describe('a run', () => {
  test('takes all but the sitemaps that wait', () => {
    const fetched = sitemap('read', { state: 'fetched' });
    const fresh = new FreshRecords([recordOf('a'), requisite('i'), sitemap('map'), fetched], 1);
    fresh.put(recordOf('b', { state: 'fetched', dueAt: 5 }));
    fresh.moveToRun();
    expect([...fresh.values()].map(({ url }) => url)).toEqual(['map']);
    expect([takeAll(fresh, 'page'), takeAll(fresh, 'requisite'), takeAll(fresh, 'sitemap')]).toEqual([
      [],
      [],
      ['map'],
    ]);
    expect(fresh.refetchDueAt()).toBeUndefined();
    // They are still counted.
    expect(fresh.waitingRequisites).toBe(1);
  });

  test('is made of those beyond a number, sitemaps that wait not counted', () => {
    const fresh = new FreshRecords([recordOf('a'), recordOf('b'), sitemap('1'), sitemap('2')], 0);
    expect([fresh.hasMoreThan(1), fresh.hasMoreThan(2), fresh.hasMoreThan(4)]).toEqual([true, false, false]);
    fresh.put(sitemap('1', { state: 'fetched' }));
    expect([fresh.hasMoreThan(2), fresh.hasMoreThan(3)]).toEqual([true, false]);
    fresh.put(recordOf('c'));
    fresh.put(recordOf('d'));
    expect([fresh.hasMoreThan(4), fresh.hasMoreThan(5), fresh.hasMoreThan(6)]).toEqual([true, false, false]);
  });
});
