import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AddressLease,
  claimLease,
  LEASE_MS,
  MAX_WAITING,
  unusedLease,
} from '../../../shared/core/frontier/address-lease.ts';

const terms = { requestMs: 5000, delayMs: 250, isIdle: true };
const of = (owner: string, beginUntil: number, ...waiting: string[]): AddressLease => ({
  owner,
  beginUntil,
  until: beginUntil + terms.requestMs,
  ...(waiting.length > 0 && { waiting }),
});
const freed = (now: number, ...waiting: string[]): AddressLease => ({
  owner: '',
  beginUntil: now,
  until: now + terms.delayMs,
  ...(waiting.length > 0 && { waiting }),
});

describe('claimLease', () => {
  test.each([
    ['none', undefined, 1000, of('a', 1000 + LEASE_MS), undefined],
    ['an old one of another', of('b', 1000), 6000, of('a', 6000 + LEASE_MS), undefined],
    ['its own', of('a', 9000), 8000, undefined, undefined],
    ['its own that nobody waits for, at its end', of('a', 9000), 9000, of('a', 9000 + LEASE_MS), undefined],
    ['its own that others wait for', of('a', 9000, 'b'), 9000, freed(9000, 'b', 'a'), 13_250],
    [
      'its own that it did not use for a while',
      { ...of('a', 9000, 'b'), until: 9250 },
      8000,
      of('a', 9000, 'b'),
      undefined,
    ],
    ["another's", of('b', 9000), 8000, of('b', 9000, 'a'), 9250],
    ["another's that others want, too", of('b', 9000, 'c'), 8000, of('b', 9000, 'c', 'a'), 13_250],
    ["another's that it waits for", of('b', 9000, 'a'), 8000, undefined, 9250],
    ["another's that should be over", of('b', 9000, 'a'), 9000, undefined, 11_000],
    ['one that was given back a moment ago', freed(9000, 'a', 'b'), 9100, undefined, 9250],
    [
      'one that was given back, and is the next',
      freed(9000, 'a', 'b'),
      9250,
      of('a', 39_250, 'b'),
      undefined,
    ],
    ['one whose next worker is due', freed(9000, 'b', 'a'), 9250, undefined, 13_250],
    [
      'one whose next worker has not come',
      freed(9000, 'b', 'a', 'c'),
      13_250,
      of('a', 43_250, 'c'),
      undefined,
    ],
    ['one that a wrong clock has written', of('b', 9e9), 1000, of('a', 1000 + LEASE_MS), undefined],
  ])('of %s', (_, lease, now, next, askAgainAt) => {
    expect(claimLease(lease, { ...terms, owner: 'a', now })).toEqual({ lease: next, askAgainAt });
  });

  test('its own that others wait for stays while a request is in flight', () => {
    const lease = of('a', 9000, 'b');
    expect(claimLease(lease, { ...terms, isIdle: false, owner: 'a', now: 9000 })).toEqual({
      lease: undefined,
      askAgainAt: 11_000,
    });
  });

  test('never two ask at the same time, nor without a rest between them, also if owners leave it unused', () => {
    const step = fc.record({
      owner: fc.constantFrom('a', 'b', 'c'),
      ms: fc.oneof(fc.nat(30_000), fc.nat(300)),
      tookMs: fc.nat(terms.requestMs - terms.delayMs),
      leaves: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let lease: AddressLease | undefined;
        let now = 0;
        let last = { owner: '', endedAt: -terms.delayMs };
        for (const { owner, ms, tookMs, leaves } of steps) {
          now += ms;
          const isIdle = last.owner !== owner || last.endedAt <= now;
          if (leaves && isIdle) {
            lease = unusedLease(lease, { ...terms, owner, now }) ?? lease;
            continue;
          }
          const claimed = claimLease(lease, { ...terms, isIdle, owner, now });
          lease = claimed.lease ?? lease;
          if (claimed.askAgainAt !== undefined) {
            expect(claimed.askAgainAt).toBeGreaterThan(now);
            continue;
          }
          if (last.owner !== owner) expect(now).toBeGreaterThanOrEqual(last.endedAt + terms.delayMs);
          else if (!isIdle) continue;
          last = { owner, endedAt: now + tookMs };
          expect(lease?.owner).toBe(owner);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('of workers that want it all the time none waits for longer than the others, also one that always comes late', () => {
    const count = 8;
    const lateMs = 1500;
    const workers = Array.from({ length: count }, (_, i) => ({ owner: `w${i}`, at: 0, had: 0, waitedMs: 0 }));
    let lease: AddressLease | undefined;
    for (;;) {
      workers.sort((a, b) => a.at - b.at);
      const worker = workers[0]!;
      const now = worker.at;
      if (now > 3_600_000) break;
      const claimed = claimLease(lease, { ...terms, owner: worker.owner, now });
      lease = claimed.lease ?? lease;
      if (claimed.askAgainAt !== undefined) {
        worker.at = claimed.askAgainAt + (worker.owner === 'w0' ? lateMs : 0);
        continue;
      }
      worker.waitedMs = Math.max(worker.waitedMs, now - worker.had);
      worker.had = now;
      worker.at = now + terms.delayMs;
    }
    // A worker that is late is waited for.
    const handoverMs = terms.delayMs + lateMs;
    for (const { had, waitedMs } of workers) {
      expect(had).toBeGreaterThan(3_600_000 - count * (LEASE_MS + handoverMs));
      expect(waitedMs).toBeLessThan(count * (LEASE_MS + handoverMs));
    }
  });

  test('a bounded number of workers is remembered', () => {
    let lease = of('a', 9000);
    for (let i = 0; i < 2 * MAX_WAITING; i++)
      lease = claimLease(lease, { ...terms, owner: `w${i}`, now: 8000 }).lease ?? lease;
    expect(lease.waiting).toHaveLength(MAX_WAITING);
  });
});

describe('unusedLease', () => {
  test.each([
    ['that nobody waits for is free after the rest', of('a', 9000), freed(8000)],
    ['that others wait for ends when they come', of('a', 9000, 'b'), { ...of('a', 9000, 'b'), until: 9250 }],
    ['that is over is given back', of('a', 7000, 'b'), freed(8000, 'b')],
    ["of another's stays", of('b', 9000), undefined],
    ['that ends anyway stays', of('a', 3000), undefined],
    ['that does not exist', undefined, undefined],
  ])('one %s', (_, lease, next) => {
    expect(unusedLease(lease, { owner: 'a', now: 8000, delayMs: terms.delayMs })).toEqual(next);
  });
});
