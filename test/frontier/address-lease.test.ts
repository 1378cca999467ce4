import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AddressLease, claimLease, LEASE_MS } from '../../shared/frontier/address-lease.ts';

const terms = { requestMs: 5000, delayMs: 250, isIdle: true };
const of = (owner: string, beginUntil: number, isWanted?: true): AddressLease => ({
  owner,
  beginUntil,
  until: beginUntil + terms.requestMs,
  ...(isWanted && { isWanted }),
});

describe('claimLease', () => {
  test.each([
    ['none', undefined, 1000, of('a', 1000 + LEASE_MS), undefined],
    ['an old one of another', of('b', 1000), 6000, of('a', 6000 + LEASE_MS), undefined],
    ['its own', of('a', 9000), 8000, undefined, undefined],
    ['its own that nobody waits for, at its end', of('a', 9000), 9000, of('a', 9000 + LEASE_MS), undefined],
    [
      'its own that others wait for',
      of('a', 9000, true),
      9000,
      { owner: '', beginUntil: 9000, until: 9250 },
      13_250,
    ],
    ["another's", of('b', 9000), 8000, of('b', 9000, true), 9250],
    ["another's that is known to be wanted", of('b', 9000, true), 8000, undefined, 9250],
    ["another's that should be over", of('b', 9000, true), 9000, undefined, 11_000],
    [
      'one that was given back a moment ago',
      { owner: '', beginUntil: 9000, until: 9250 },
      9100,
      undefined,
      9250,
    ],
    ['one that a wrong clock has written', of('b', 9e9), 1000, of('a', 1000 + LEASE_MS), undefined],
  ])('of %s', (_, lease, now, next, askAgainAt) => {
    expect(claimLease(lease, { ...terms, owner: 'a', now })).toEqual({ lease: next, askAgainAt });
  });

  test('its own that others wait for stays while a request is in flight', () => {
    const lease = of('a', 9000, true);
    expect(claimLease(lease, { ...terms, isIdle: false, owner: 'a', now: 9000 })).toEqual({
      lease: undefined,
      askAgainAt: 11_000,
    });
  });

  test('never two have it at the same time, and who waits gets it', () => {
    const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), ms: fc.nat(30_000) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let lease: AddressLease | undefined;
        let now = 0;
        /** Until when a request of the last owner may be in flight. */
        let busy = { owner: '', until: 0 };
        for (const { owner, ms } of steps) {
          now += ms;
          const claimed = claimLease(lease, { ...terms, owner, now });
          lease = claimed.lease ?? lease;
          if (claimed.askAgainAt !== undefined) {
            expect(claimed.askAgainAt).toBeGreaterThan(now);
            continue;
          }
          // It asks now, and once more at the last moment.
          if (busy.owner !== owner) expect(now).toBeGreaterThanOrEqual(busy.until);
          busy = { owner, until: now };
          expect(lease?.owner).toBe(owner);
          expect(lease!.until).toBeGreaterThanOrEqual(now + terms.requestMs);
        }
      }),
    );
  });
});
