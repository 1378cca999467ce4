/** The bytes a second of a crawl, as workers share them, and the line of one of them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_BYTES_REST_MS } from '../../../shared/core/frontier/byte-rate.ts';
import {
  type CrawlRateState,
  claimTime,
  EARLY_MS,
  MAX_AHEAD_MS,
} from '../../../shared/core/frontier/crawl-rate.ts';
import { firstBytes, LINE_SLACK_MS, type Place, RateLine } from '../../../shared/core/frontier/rate-line.ts';

const T0 = 1_800_000_000_000;
const claim = (rate: CrawlRateState | undefined, ms: number, more: { now?: number; isOwed?: boolean } = {}) =>
  claimTime(rate, { now: T0, bytesPerSecond: 1000, ms, isOwed: false, ...more });
const state = (paidUntil: number, bytesPerSecond = 1000) => ({ paidUntil, bytesPerSecond });

describe('the time of the rate that workers claim', () => {
  test('is claimed once, and later the more of it others have', () => {
    const first = claim(undefined, 5000);
    expect(first).toEqual({ rate: state(T0 + 5000), from: T0 });
    const second = claim(first.rate, 1000);
    expect(second).toEqual({ rate: state(T0 + 6000), from: T0 + 5000 - EARLY_MS });
    // Time that nobody claimed is gone.
    expect(claim(second.rate, 10, { now: T0 + 60_000 })).toEqual({
      rate: state(T0 + 60_010),
      from: T0 + 60_000,
    });
  });

  test('is not given far ahead, but what has come already is counted', () => {
    const far = state(T0 + MAX_AHEAD_MS + 1);
    expect(claim(far, 10)).toEqual({ rate: undefined, from: undefined });
    expect(claim(far, 10, { isOwed: true }).rate).toEqual(state(T0 + MAX_AHEAD_MS + 11));
    expect(claim(far, 1e12, { isOwed: true }).rate).toEqual(state(T0 + MAX_BYTES_REST_MS));
  });

  test('does not count if a wrong clock has written it, and goes by the rate of now', () => {
    expect(claim(state(T0 + 30 * 86_400_000), 10)).toEqual({ rate: state(T0 + 10), from: T0 });
    // Resumed with ten times the rate.
    expect(claim(state(T0 + 100_000, 100), 10).rate).toEqual(state(T0 + 10_010));
  });

  test('is never less than what was claimed, at whatever rate each worker takes the crawl to be', () => {
    const claims = fc.array(
      fc.record({ bytes: fc.integer({ min: 1, max: 5000 }), rate: fc.integer({ min: 500, max: 50_000 }) }),
      { minLength: 1, maxLength: 50 },
    );
    fc.assert(
      fc.property(claims, (list) => {
        let rate: CrawlRateState | undefined;
        let bytes = 0;
        for (const one of list) {
          const ms = (one.bytes * 1000) / one.rate;
          rate = claimTime(rate, { now: T0, bytesPerSecond: one.rate, ms, isOwed: true }).rate;
          bytes += one.bytes;
        }
        const { paidUntil, bytesPerSecond } = rate as CrawlRateState;
        expect(((paidUntil - T0) * bytesPerSecond) / 1000).toBeGreaterThan(bytes - 0.001);
      }),
    );
  });

  test('of any claims by clocks that agree, none is used before the time of those before it, but for what is early', () => {
    const claims = fc.array(
      fc.record({ waitMs: fc.nat(3000), ms: fc.integer({ min: 1, max: 4000 }), isOwed: fc.boolean() }),
    );
    fc.assert(
      fc.property(claims, (list) => {
        let rate: CrawlRateState | undefined;
        let now = T0;
        const got: { from: number; ms: number }[] = [];
        for (const { waitMs, ms, isOwed } of list) {
          now += waitMs;
          const claimed = claimTime(rate, { now, bytesPerSecond: 1000, ms, isOwed });
          if (claimed.from === undefined) continue;
          rate = claimed.rate;
          got.push({ from: claimed.from, ms });
        }
        for (const [i, first] of got.entries()) {
          let sum = 0;
          for (const { from, ms } of got.slice(i)) {
            expect(from - first.from).toBeGreaterThanOrEqual(sum - EARLY_MS - 1);
            sum += ms;
          }
        }
      }),
    );
  });
});

describe('the line of a process', () => {
  const RATE = 10_000;
  const place = (line: RateLine, now: number): Place => {
    const taken = line.take(now, RATE);
    if (taken === undefined) {
      line.add(line.claimMs(now, RATE), now);
      return place(line, now);
    }
    if (taken === 'far') throw new Error('far');
    return taken;
  };

  test('gives places as far apart as answers take at the rate, by what these had lately', () => {
    const line = new RateLine();
    const first = place(line, 0);
    expect(first).toEqual({ at: 0, from: 0, bytes: firstBytes(RATE) });
    for (let i = 1; i <= 100; i++) {
      const now = i * 2000;
      const next = place(line, now);
      line.join(now, next, RATE);
      line.ended(now + 100, next, 5000, RATE);
    }
    const [a, b, c] = [place(line, 300_000), place(line, 300_000), place(line, 300_000)];
    expect(a.bytes).toBe(5001);
    expect(c.at - b.at).toBeCloseTo(500, -1);
    // A place that is not used is the next one's.
    line.giveBack(c, RATE);
    expect(place(line, 300_000)).toEqual(c);
  });

  test('claims a little at first, then for seconds, and what came beyond is owed at once', () => {
    const line = new RateLine();
    const fast = 10_000_000;
    const sizes: number[] = [];
    for (let now = 0; now < 200; now += 1) {
      const taken = line.take(now, fast);
      if (taken !== undefined) continue;
      const ms = line.claimMs(now, fast);
      sizes.push(ms);
      line.add(ms, now);
    }
    expect(sizes[0]).toBe(1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2000);
    expect(sizes.length).toBeLessThan(12);
    const slow = new RateLine();
    const taken = place(slow, 0);
    slow.join(0, taken, RATE);
    slow.ended(500, taken, 1_000_000, RATE);
    expect(slow.owedMs).toBeCloseTo(99_000, -1);
    slow.settled(slow.owedMs);
    expect(slow.owedMs).toBe(0);
    // Nothing begins until it has come.
    slow.add(5000, 600);
    expect(place(slow, 600).at).toBeCloseTo(100_000, -1);
    expect(slow.waitMs(600)).toBeCloseTo(99_400 - LINE_SLACK_MS, -1);
  });

  test('claims once for a place, and at once all that is owed, however fast the crawl is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 1e9 }),
        fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 30 }),
        (rate, answers) => {
          const line = new RateLine();
          let claimed = 0;
          let came = 0;
          for (const [i, bytes] of answers.entries()) {
            const now = i * 10_000_000;
            let taken = line.take(now, rate);
            if (taken === undefined) {
              const ms = line.claimMs(now, rate);
              claimed += ms;
              line.add(ms, now);
              taken = line.take(now, rate);
            }
            // One claim is enough.
            expect(taken).toBeTypeOf('object');
            line.join(now, taken as Place, rate);
            line.ended(now, taken as Place, bytes, rate);
            came += bytes;
            const owed = line.owedMs;
            claimed += owed;
            line.settled(owed);
            // To the last byte.
            expect((claimed * rate) / 1000).toBeGreaterThanOrEqual(came * (1 - 1e-9) - 1);
            expect(line.owedMs).toBe(0);
          }
        },
      ),
    );
  });

  test('has no request begin before its time, not even by a part of a millisecond', () => {
    const line = new RateLine();
    const bytes = LINE_SLACK_MS * (RATE / 1000) + 15;
    line.join(0, { bytes }, RATE);
    // 1.5 ms are left beyond the slack.
    expect([0, 1, 2].map((now) => line.waitMs(now))).toEqual([2, 1, 0]);
  });

  test('whatever comes, whenever hosts come for it, no more bytes begin and end in a time than the rate allows', () => {
    const request = fc.record({
      bytes: fc.nat(60_000),
      tookMs: fc.integer({ min: 1, max: 8000 }),
      /** How late the host is. */
      lateMs: fc.oneof(fc.constant(0), fc.nat(100_000)),
      waitMs: fc.nat(4000),
      isAsked: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(request, { minLength: 1, maxLength: 40 }), (requests) => {
        const line = new RateLine();
        const made: { startedAt: number; endedAt: number; bytes: number; room: number }[] = [];
        const events: { at: number; run: () => void }[] = [];
        const at = (time: number, run: () => void) => void events.push({ at: time, run });
        let comes = 0;
        for (const { bytes, tookMs, lateMs, waitMs, isAsked } of requests) {
          comes += waitMs;
          const came = comes;
          at(came, () => {
            const taken = place(line, came);
            const due = Math.max(came, taken.at) + lateMs;
            const begins = (startedAt: number) => () => {
              const ms = line.waitMs(startedAt);
              if (ms > 0) return at(startedAt + ms, begins(startedAt + ms));
              line.join(startedAt, taken, RATE);
              line.begun(startedAt, taken, RATE);
              const endedAt = startedAt + tookMs;
              if (isAsked) made.push({ startedAt, endedAt, bytes, room: taken.bytes });
              at(endedAt, () => line.ended(endedAt, taken, isAsked ? bytes : undefined, RATE));
            };
            at(due, begins(due));
          });
        }
        while (events.length > 0) {
          events.sort((a, b) => b.at - a.at);
          events.pop()?.run();
        }
        const mostRoom = Math.max(firstBytes(RATE), ...requests.map(({ bytes }) => bytes));
        for (const first of made)
          for (const last of made) {
            if (last.startedAt < first.startedAt) continue;
            const between = made.filter(
              (one) => one.startedAt >= first.startedAt && one.endedAt <= last.startedAt,
            );
            // Those in flight at the begin had room before, of which they may not have made use.
            const room = requests.length * mostRoom;
            const inFlight = made.filter(
              (one) => one.startedAt < first.startedAt && one.endedAt > first.startedAt,
            );
            const given = inFlight.reduce((sum, one) => sum + Math.max(0, one.room - one.bytes), 0);
            const unasked = requests.some(({ isAsked }) => !isAsked) ? room : 0;
            const sum = between.reduce((all, one) => all + (one === last ? 0 : one.bytes), 0);
            const allowed = ((last.startedAt - first.startedAt + LINE_SLACK_MS) / 1000) * RATE;
            expect(sum).toBeLessThanOrEqual(allowed + given + unasked + 1);
          }
      }),
      { numRuns: 300 },
    );
  });
});
