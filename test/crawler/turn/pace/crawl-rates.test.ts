/** The bytes a second of a crawl as a worker claims them: how often the store is asked, and what it does when others have them. */
import { describe, expect, test } from 'vitest';
import {
  type CrawlRateState,
  EARLY_MS,
  MAX_AHEAD_MS,
  RATE_NAME,
} from '../../../../shared/core/frontier/crawl-rate.ts';
import { CLAIM_MS, firstBytes } from '../../../../shared/core/frontier/rate-line.ts';
import { StaleTurn } from '../../../../shared/crawler/ports/stale-turn.ts';
import type { DomainFacts, DomainHeads } from '../../../../shared/crawler/turn/links/domain-heads.ts';
import { createCrawlRates } from '../../../../shared/crawler/turn/pace/crawl-rates.ts';

const T0 = 1_000_000_000;
const RATE = 100_000;
const BYTES = firstBytes(RATE);
const PLACE_MS = (1000 * BYTES) / RATE;

function setUp(stored?: CrawlRateState) {
  const state = { now: T0, elapsed: 5000, random: 0.5 };
  const trouble: { error: Error | undefined; tookMs: number } = { error: undefined, tookMs: 0 };
  const asked: string[] = [];
  let head: DomainFacts = { hosts: 'kept', granted: {}, ...(stored && { rate: stored }) };
  const domains: Pick<DomainHeads, 'change'> = {
    async change(crawl, name, change, tries) {
      asked.push(`${crawl} ${name} ${tries}`);
      await new Promise((resolve) => setImmediate(resolve));
      pass(trouble.tookMs);
      if (trouble.error) throw trouble.error;
      const changed = change(head);
      head = changed.state ?? head;
      pass(trouble.tookMs);
      return changed.result;
    },
  };
  const clock = { now: () => state.now, elapsed: () => state.elapsed, random: () => state.random };
  const rates = createCrawlRates({ domains, clock, lines: new Map() });
  const pass = (ms: number) => {
    state.now += ms;
    state.elapsed += ms;
  };
  return { rates, asked, state, trouble, pass, take: () => rates.take('c', RATE), head: () => head };
}

describe('a place in the line', () => {
  test('is there at once in a crawl that nobody else works for, and the time for it is claimed', async () => {
    const { take, asked, head } = setUp();
    expect(await take()).toEqual({ at: 5000, from: 5000, bytes: BYTES });
    expect(asked).toEqual([`c ${RATE_NAME} 6`]);
    expect(head()).toEqual({
      hosts: 'kept',
      granted: {},
      rate: { paidUntil: T0 + PLACE_MS, bytesPerSecond: RATE },
    });
  });

  test('comes after the one before, and more time is claimed at once, the faster it is used', async () => {
    const { take, asked, head } = setUp();
    const places = [];
    for (let n = 0; n < 20; n++) places.push(await take());
    const times = places.map((place) => ('at' in place ? place.at : 0));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(asked.length).toBeLessThan(12);
    const claimedMs = (head().rate?.paidUntil ?? 0) - T0;
    expect(claimedMs).toBeGreaterThanOrEqual(20 * PLACE_MS);
    expect(claimedMs).toBeLessThanOrEqual(20 * PLACE_MS + CLAIM_MS);
  });

  test('is claimed once by those who need one at the same time, if that is enough for all', async () => {
    const { rates, take, asked } = setUp();
    rates.lineOf('c').line.add(-PLACE_MS / 2, 0);
    await Promise.all([take(), take()]);
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  test('is one of the crawl’s own', async () => {
    const { rates, asked } = setUp();
    await Promise.all([rates.take('c', RATE), rates.take('d', RATE)]);
    expect(asked).toEqual([`c ${RATE_NAME} 6`, `d ${RATE_NAME} 6`]);
    expect(rates.lineOf('c')).toBe(rates.lineOf('c'));
    expect(rates.lineOf('c')).not.toBe(rates.lineOf('d'));
  });

  test('comes when the time that others have claimed is over, a little earlier', async () => {
    const { take } = setUp({ paidUntil: T0 + 10_000, bytesPerSecond: RATE });
    expect(await take()).toMatchObject({ at: 5000 + 10_000 - EARLY_MS, from: 5000 + 10_000 - EARLY_MS });
  });

  test('comes no later if the store takes long to answer', async () => {
    const { take, trouble } = setUp({ paidUntil: T0 + 10_000, bytesPerSecond: RATE });
    trouble.tookMs = 300;
    expect(await take()).toMatchObject({ at: 5000 + 10_000 - EARLY_MS });
  });

  test.each([
    [0, 0.5],
    [0.5, 0.75],
    [1, 1],
  ])(
    'is there for nobody while others have claimed too much; by chance %f it is asked for again later',
    async (random, part) => {
      const { take, state, asked, head } = setUp({ paidUntil: T0 + MAX_AHEAD_MS + 1, bytesPerSecond: RATE });
      state.random = random;
      expect(await take()).toEqual({ askAgainMs: MAX_AHEAD_MS * part });
      expect(asked).toHaveLength(1);
      expect(head().rate?.paidUntil).toBe(T0 + MAX_AHEAD_MS + 1);
    },
  );

  test('that would come too far ahead in this process is not taken either, and the store is not asked', async () => {
    const { rates, take, asked } = setUp();
    rates.lineOf('c').line.add(10_000, 5000 + MAX_AHEAD_MS + 1);
    expect(await take()).toEqual({ askAgainMs: MAX_AHEAD_MS * 0.75 });
    expect(asked).toEqual([]);
  });

  test('is asked for again two seconds later if others write at the same time; another error is thrown', async () => {
    const { take, trouble, asked } = setUp();
    trouble.error = new StaleTurn('others were first');
    expect(await take()).toEqual({ askAgainMs: 2000 });
    trouble.error = new Error('no table');
    await expect(take()).rejects.toThrow('no table');
    trouble.error = undefined;
    expect(await take()).toMatchObject({ bytes: BYTES });
    expect(asked).toHaveLength(3);
  });
});

describe('bytes beyond those that were expected', () => {
  const owing = (ms: number, stored?: CrawlRateState) => {
    const made = setUp(stored);
    made.rates.lineOf('c').line.settled(-ms);
    return made;
  };

  test('are claimed at once, whatever others have claimed', async () => {
    const { rates, head } = owing(3000, { paidUntil: T0 + MAX_AHEAD_MS + 5000, bytesPerSecond: RATE });
    await rates.settle('c', RATE);
    expect(rates.lineOf('c').line.owedMs).toBe(0);
    expect(head().rate?.paidUntil).toBe(T0 + MAX_AHEAD_MS + 5000 + 3000);
  });

  test('are claimed once by those who end at the same time', async () => {
    const { rates, asked } = owing(3000);
    await Promise.all([rates.settle('c', RATE), rates.settle('c', RATE)]);
    expect(asked).toHaveLength(1);
  });

  test('cost nothing if there are none', async () => {
    const { rates, asked } = setUp();
    await rates.settle('c', RATE);
    expect(asked).toEqual([]);
  });

  test('are a part of the next claim if others write at the same time; another error is thrown', async () => {
    const { rates, trouble, take, head } = owing(3000);
    trouble.error = new StaleTurn('others were first');
    await rates.settle('c', RATE);
    expect(rates.lineOf('c').line.owedMs).toBe(3000);
    trouble.error = new Error('no table');
    await expect(rates.settle('c', RATE)).rejects.toThrow('no table');
    trouble.error = undefined;
    await take();
    expect(head().rate?.paidUntil).toBe(T0 + 3000 + PLACE_MS);
  });
});

test('a clock without a steady time is one that is never set', async () => {
  const change: DomainHeads['change'] = async (_crawl, _name, make) =>
    make({ hosts: '', granted: {} }).result;
  const clock = { now: () => T0, random: () => 0 };
  const rates = createCrawlRates({ domains: { change }, clock, lines: new Map() });
  expect(await rates.take('c', RATE)).toMatchObject({ at: T0 });
});
