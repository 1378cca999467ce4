import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  domainKey,
  grantPages,
  isDomain,
  isDomainKey,
  NO_DOMAIN_STATE,
  openedCheck,
  openedHosts,
  periodAt,
  periodEnd,
  takeBackPages,
  withHost,
} from '../../../shared/core/frontier/domain-state.ts';

const DAY = 86_400_000;

test('a host that is opened again is counted once', () => {
  const one = withHost(NO_DOMAIN_STATE, 'a.example.org');
  const two = withHost(one, 'b.example.org:8080');
  expect([openedHosts(NO_DOMAIN_STATE), openedHosts(one), openedHosts(two)]).toEqual([0, 1, 2]);
  expect(withHost(two, 'a.example.org')).toBe(two);
  const isOpened = openedCheck(two);
  expect(['a.example.org', 'b.example.org:8080', 'b.example.org', 'c.example.org'].map(isOpened)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('ten thousand hosts are known one by one', () => {
  const hosts = Array.from({ length: 10_000 }, (_, i) => `s${i}.example.org`);
  let state = NO_DOMAIN_STATE;
  for (const host of hosts.slice(0, 200)) state = withHost(state, host);
  expect(openedHosts(state)).toBe(200);
  const isOpened = openedCheck(state);
  // 24 bits: of 9,800 others one is taken for an opened one with a probability of 0.1.
  expect(hosts.slice(200).filter(isOpened).length).toBeLessThan(2);
});

test('grants are parts of the budget, and never more than it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 80 }),
      (budget, wishes) => {
        let state = NO_DOMAIN_STATE;
        let sum = 0;
        for (const wanted of wishes) {
          const granted = grantPages(state, { period: 7, budget, wanted });
          state = granted.state;
          sum += granted.pages;
          expect(granted.pages).toBeLessThanOrEqual(Math.min(wanted, Math.ceil(budget / 20)));
          // As long as there is some left, something is granted.
          if (granted.pages === 0) expect(sum).toBe(budget);
        }
        expect(sum).toBeLessThanOrEqual(budget);
      },
    ),
  );
});

test('a refused grant changes nothing, so nothing is written for it', () => {
  const state = { hosts: '', granted: { 7: 10 } };
  expect(grantPages(state, { period: 7, budget: 10, wanted: 3 })).toEqual({ state, pages: 0 });
  expect(grantPages(state, { period: 7, budget: 10, wanted: 3 }).state).toBe(state);
});

test('pages that are given back can be granted again, and those of another period give none', () => {
  const { state } = grantPages(NO_DOMAIN_STATE, { period: 7, budget: 1, wanted: 1 });
  const back = takeBackPages(state, { period: 7, pages: 1 });
  expect(grantPages(back, { period: 7, budget: 1, wanted: 1 }).pages).toBe(1);
  expect(
    grantPages(takeBackPages(state, { period: 6, pages: 5 }), { period: 7, budget: 1, wanted: 1 }).pages,
  ).toBe(0);
});

test('a process whose clock is wrong does not make the others forget their periods', () => {
  let state: { hosts: string; granted: Readonly<Record<string, number>> } = NO_DOMAIN_STATE;
  for (const period of [100, 101]) state = grantPages(state, { period, budget: 1, wanted: 1 }).state;
  for (const period of [500, 3]) state = grantPages(state, { period, budget: 1, wanted: 1 }).state;
  expect(grantPages(state, { period: 101, budget: 1, wanted: 1 }).pages).toBe(0);
  for (let period = 102; period < 120; period++)
    state = grantPages(state, { period, budget: 1, wanted: 1 }).state;
  expect(Object.keys(state.granted)).toHaveLength(4);
  expect(grantPages(state, { period: 119, budget: 1, wanted: 1 }).pages).toBe(0);
});

test('a period lasts as long as it should, and those of domains do not begin together', () => {
  const begins = new Set<number>();
  for (const domain of ['a.org', 'b.org', 'c.org', 'd.org']) {
    const now = 1_800_000_000_000;
    const period = periodAt(domain, now, DAY);
    const end = periodEnd(domain, period, DAY);
    expect(end).toBeGreaterThan(now);
    expect(end - DAY).toBeLessThanOrEqual(now);
    expect([periodAt(domain, end - 1, DAY), periodAt(domain, end, DAY)]).toEqual([period, period + 1]);
    begins.add(end % DAY);
  }
  expect(begins.size).toBe(4);
});

test('the head of a domain has a key of its own, which no host and no domain of another name has', () => {
  expect(domainKey('a.test')).toBe('@a.test');
  expect(['@a.test', '@', 'a.test', 'a.test@', '#1.2.3.4'].map(isDomainKey)).toEqual([
    ...[true, true, false, false, false],
  ]);
  const [lease, rate] = [
    { owner: 'w', beginUntil: 1, until: 2 },
    { paidUntil: 1, bytesPerSecond: 2 },
  ];
  expect([isDomain({}), isDomain({ lease }), isDomain({ rate }), isDomain({ lease, rate })]).toEqual([
    ...[true, false, false, false],
  ]);
});
