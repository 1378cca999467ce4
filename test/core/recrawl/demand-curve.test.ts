import { expect, test } from 'vitest';
import { mixHash } from '../../../shared/core/base/mix-hash.ts';
import {
  addDemand,
  capDemand,
  type DemandCurve,
  demandAt,
  demandOf,
  hostPrice,
  NO_DEMAND,
  PRICES,
  priceFor,
  subtractDemand,
} from '../../../shared/core/recrawl/demand-curve.ts';
import {
  fetchIntervalDays,
  OBJECTIVES,
  type PageValue,
} from '../../../shared/core/recrawl/fetch-interval.ts';

const random = (n: number) => mixHash(n) / 2 ** 32;
const pages: readonly PageValue[] = Array.from({ length: 2000 }, (_, i) => ({
  changeRate: Math.min(7, Math.max(0.0005, 0.05 * Math.exp(4 * (random(3 * i + 1) + random(3 * i + 2) - 1)))),
  importance: 2 ** Math.floor(6 * random(3 * i)),
}));
const sumOf = (objective: 'changes' | 'freshness', list: readonly PageValue[]): DemandCurve =>
  list.reduce((sum, page) => addDemand(sum, demandOf(objective, page)), NO_DEMAND);

test('18 prices, each four times the one before', () => {
  expect(PRICES.length).toBe(18);
  expect(PRICES[0]).toBe(1e-4);
  expect((PRICES[17] as number) / (PRICES[16] as number)).toBe(4);
});

test.each(OBJECTIVES)('%s: pages that are fetched by the price of a budget use that budget', (objective) => {
  const curve = sumOf(objective, pages);
  for (const share of [0.02, 0.05, 0.2, 0.5, 2]) {
    const price = priceFor(curve, share * pages.length);
    const used = pages.reduce((sum, page) => sum + 1 / fetchIntervalDays(objective, page, price), 0);
    expect(used / (share * pages.length)).toBeGreaterThan(0.97);
    expect(used / (share * pages.length)).toBeLessThan(1.03);
    expect(demandAt(curve, price) / (share * pages.length)).toBeCloseTo(1, 5);
  }
});

test('what a host adds and takes away again leaves the sum as it was', () => {
  const [host, others] = [sumOf('changes', pages.slice(0, 10)), sumOf('changes', pages.slice(10))];
  const after = subtractDemand(addDemand(others, host), host);
  after.forEach((value, k) => {
    expect(value).toBeCloseTo(others[k] as number, 6);
  });
  for (const value of subtractDemand(NO_DEMAND, host)) expect(value).toBe(0);
});

test('a budget beyond all demand has the lowest price, none at all a price beyond all', () => {
  const curve = sumOf('changes', pages.slice(0, 10));
  expect(priceFor(curve, 1e9)).toBe(PRICES[0]);
  expect(priceFor(NO_DEMAND, 1)).toBe(PRICES[0]);
  expect(priceFor(curve, 0)).toBeGreaterThan(1e9);
  const scarce = priceFor(curve, 1e-7);
  expect(scarce).toBeGreaterThan(PRICES[17] as number);
  expect(demandAt(curve, scarce)).toBeCloseTo(1e-7, 10);
});

test('a host whose crawl delay leaves it less than its pages ask for has a price of its own', () => {
  const curve = sumOf('changes', pages);
  const price = priceFor(curve, 400);
  expect(hostPrice(price, curve, 500)).toBe(price);
  const own = hostPrice(price, curve, 100);
  expect(own).toBeGreaterThan(price);
  expect(demandAt(curve, own)).toBeCloseTo(100, 5);
});

test('limited hosts leave their part of the budget to others', () => {
  const [limited, free] = [sumOf('changes', pages.slice(0, 1000)), sumOf('changes', pages.slice(1000))];
  const price = priceFor(addDemand(capDemand(limited, 20), free), 200);
  expect(demandAt(limited, hostPrice(price, limited, 20))).toBeCloseTo(20, 5);
  expect(20 + demandAt(free, price)).toBeCloseTo(200, -1);
});
