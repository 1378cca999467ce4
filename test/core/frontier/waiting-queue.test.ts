/** The order in which a ledger's waiting records are taken: by rank, and not before their time. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rankOf } from '../../../shared/core/frontier/rank.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { WaitingQueue } from '../../../shared/core/frontier/waiting-queue.ts';

const recordOf = (url: string, fields: Partial<UrlRecord> = {}): UrlRecord =>
  ({ url, state: 'waiting', depth: 1, level: 0, dueAt: 0, ...fields }) as UrlRecord;

function setUp() {
  const records = new Map<string, UrlRecord>();
  const room = new WaitingQueue((url) => records.get(url));
  return {
    room,
    records,
    add(url: string, fields: Partial<UrlRecord> = {}) {
      const record = recordOf(url, fields);
      records.set(url, record);
      room.add(record);
    },
    /** Takes all that may be taken now, as they change their state. */
    takeAll(now: number): string[] {
      const taken: string[] = [];
      for (;;) {
        if (room.firstRank(now) === undefined) return taken;
        const { url } = room.take();
        taken.push(url);
        records.set(url, recordOf(url, { state: 'fetched' }));
      }
    },
  };
}

describe('records that wait', () => {
  test('are taken by rank, and those of a rank in the order in which they came', () => {
    const { add, takeAll, room } = setUp();
    add('deep', { depth: 3 });
    add('b');
    add('image', { depth: 2, kind: 'requisite' });
    add('a');
    add('linked', { level: 5 });
    add('seed', { depth: 0 });
    expect(room.firstRank(0)).toBe(rankOf(2, 0, 'requisite'));
    expect(takeAll(0)).toEqual(['image', 'seed', 'linked', 'b', 'a', 'deep']);
    expect(room.firstRank(0)).toBeUndefined();
  });

  test('have a rank that says who is first, and are taken once', () => {
    const { add, room, records } = setUp();
    expect(() => room.take()).toThrow('take() without firstRank()');
    add('a');
    add('b');
    expect(room.firstRank(0)).toBe(rankOf(1, 0));
    expect(room.firstRank(0)).toBe(rankOf(1, 0));
    expect(room.take().url).toBe('a');
    expect(() => room.take()).toThrow();
    records.set('b', recordOf('b', { state: 'gone' }));
    expect(room.firstRank(0)).toBeUndefined();
    expect(() => room.take()).toThrow();
  });

  test('are not taken before their time, and then by rank', () => {
    const { add, takeAll, room } = setUp();
    add('later', { dueAt: 300 });
    add('deep and soon', { dueAt: 100, depth: 2 });
    add('soon', { dueAt: 100 });
    add('now');
    expect(room.nextDueAt()).toBe(100);
    expect(takeAll(99)).toEqual(['now']);
    expect(takeAll(100)).toEqual(['soon', 'deep and soon']);
    expect(room.nextDueAt()).toBe(300);
    expect(takeAll(400)).toEqual(['later']);
    expect(room.nextDueAt()).toBeUndefined();
  });

  test('count as they are now: one with another rank, time or state is where it was added last', () => {
    const { add, takeAll, records, room } = setUp();
    for (const url of ['risen', 'delayed', 'done']) add(url, { depth: 2 });
    add('risen', { depth: 1 });
    add('delayed', { depth: 2, dueAt: 50 });
    records.set('done', recordOf('done', { state: 'fetched' }));
    records.delete('none');
    expect(takeAll(0)).toEqual(['risen']);
    expect(room.nextDueAt()).toBe(50);
    // Its time was changed again.
    add('delayed', { depth: 2, dueAt: 70 });
    expect(room.nextDueAt()).toBe(70);
    expect(takeAll(60)).toEqual([]);
    expect(takeAll(70)).toEqual(['delayed']);
  });

  test('that were due before the clock was set back wait again', () => {
    const { add, takeAll, room } = setUp();
    add('a', { dueAt: 100 });
    expect(room.firstRank(100)).toBe(rankOf(1, 0));
    expect(room.firstRank(50)).toBeUndefined();
    expect(room.nextDueAt()).toBe(100);
    expect(takeAll(100)).toEqual(['a']);
  });

  test('are all taken where they are many, in order, while others come', () => {
    const { add, room, records } = setUp();
    const taken: string[] = [];
    const take = () => {
      room.firstRank(0);
      const { url } = room.take();
      taken.push(url);
      records.set(url, recordOf(url, { state: 'fetched' }));
    };
    for (let i = 0; i < 3000; i++) add(`u${i}`);
    for (let i = 0; i < 2500; i++) take();
    for (let i = 3000; i < 3500; i++) add(`u${i}`);
    for (let i = 0; i < 1000; i++) take();
    expect(taken).toEqual(Array.from({ length: 3500 }, (_, i) => `u${i}`));
    expect(room.firstRank(0)).toBeUndefined();
  });

  test('of any kinds and times are each taken once, never early, the best that may be taken first', () => {
    const one = fc.record({ depth: fc.nat(3), level: fc.nat(3), dueAt: fc.constantFrom(0, 0, 10, 20, 30) });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 30 }), (fields) => {
        const { add, takeAll, records } = setUp();
        for (const [i, each] of fields.entries()) add(`u${i}`, each);
        const all = new Map(records);
        const taken: string[] = [];
        for (const now of [0, 10, 25, 30]) {
          const some = takeAll(now);
          const ranks = some.map((url) => {
            const { dueAt, depth, level } = all.get(url)!;
            expect(dueAt).toBeLessThanOrEqual(now);
            return rankOf(depth, level);
          });
          expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
          taken.push(...some);
        }
        expect(taken.sort()).toEqual([...all.keys()].sort());
      }),
      { numRuns: 50 },
    );
  });
});

test('those that were taken are not looked at again, however many there were', () => {
  const records = new Map<string, UrlRecord>();
  let looks = 0;
  const room = new WaitingQueue((url) => {
    looks++;
    return records.get(url);
  });
  for (let n = 0; n < 5000; n++) {
    const record = recordOf(`u${n}`);
    records.set(record.url, record);
    room.add(record);
  }
  const taken: string[] = [];
  while (room.firstRank(0) !== undefined) {
    const { url } = room.take();
    taken.push(url);
    records.set(url, recordOf(url, { state: 'fetched' }));
  }
  expect(taken).toEqual([...records.keys()]);
  expect(looks).toBe(5000);
});
