import { expect, test } from 'vitest';
import { mixHash } from '../../../shared/core/base/mix-hash.ts';
import {
  NO_HISTORY,
  observe,
  packHistory,
  unpackHistory,
} from '../../../shared/core/recrawl/change-history.ts';
import {
  changeRate,
  DEFAULT_RATE,
  EMPTY_POOL,
  MAX_RATE,
  MIN_RATE,
  observePool,
  priorRate,
} from '../../../shared/core/recrawl/change-rate.ts';

test('a page without history has the rate of pages like it', () => {
  expect(changeRate(NO_HISTORY, 0.3)).toBeCloseTo(0.3);
  expect(changeRate(NO_HISTORY, MAX_RATE)).toBeCloseTo(MAX_RATE);
  expect(changeRate(NO_HISTORY, 1000)).toBeCloseTo(MAX_RATE);
});

test('with equal intervals, it is the rate of the likelihood: half of them changed is ln 2 an interval', () => {
  const half = { changes: 1e5, changedDays: 5e5, unchangedDays: 5e5 };
  expect(changeRate(half, 0.01)).toBeCloseTo(Math.LN2 / 5, 3);
});

test('the rate stays in its bounds', () => {
  expect(changeRate({ changes: 0, changedDays: 0, unchangedDays: 1e6 }, 1)).toBe(MIN_RATE);
  expect(changeRate({ changes: 50, changedDays: 1e-3, unchangedDays: 0 }, 24)).toBe(MAX_RATE);
});

test('the first fetches outweigh the prior', () => {
  let history = NO_HISTORY;
  for (let fetch = 0; fetch < 4; fetch++) history = observe(history, 10, false);
  expect(changeRate(history, 1)).toBeLessThan(0.1);
});

test.each([
  [0.02, 5],
  [0.2, 2],
  [1, 1],
])(
  'pages that change %d times a day, fetched each %d days, are estimated so, in three bytes too',
  (rate, days) => {
    const errors = { exact: [] as number[], packed: [] as number[] };
    for (let page = 0; page < 300; page++) {
      let exact = NO_HISTORY;
      let packed = 0;
      for (let fetch = 0; fetch < 150; fetch++) {
        const salt = mixHash(mixHash(page) + fetch);
        const interval = days * (0.5 + mixHash(salt + 1) / 2 ** 32);
        const hasChanged = mixHash(salt + 2) / 2 ** 32 < 1 - Math.exp(-rate * interval);
        exact = observe(exact, interval, hasChanged);
        packed = packHistory(observe(unpackHistory(packed), interval, hasChanged), salt);
      }
      errors.exact.push(Math.log(changeRate(exact, 0.1) / rate));
      errors.packed.push(Math.log(changeRate(unpackHistory(packed), 0.1) / rate));
    }
    const spread = (values: number[]) => Math.sqrt(values.reduce((sum, e) => sum + e * e, 0) / values.length);
    const bias = (values: number[]) => values.reduce((sum, e) => sum + e, 0) / values.length;
    expect(Math.abs(bias(errors.packed) - bias(errors.exact))).toBeLessThan(0.05);
    expect(spread(errors.packed)).toBeLessThan(1.15 * spread(errors.exact));
  },
);

test('the prior is of the narrowest group that was observed', () => {
  expect(priorRate()).toBe(DEFAULT_RATE);
  expect(priorRate(EMPTY_POOL, EMPTY_POOL)).toBeCloseTo(DEFAULT_RATE);
  let host = EMPTY_POOL;
  let template = EMPTY_POOL;
  for (let fetch = 0; fetch < 200; fetch++) {
    host = observePool(host, 1, fetch % 2 === 0);
    template = observePool(template, 10, fetch % 2 === 0);
  }
  expect(priorRate(host, EMPTY_POOL)).toBeCloseTo(Math.LN2, 1);
  expect(priorRate(host, template)).toBeCloseTo(Math.LN2 / 10, 2);
});
