import { expect, test } from 'vitest';
import { measureIdleCost } from '../../bench/claims/many-crawls/idle-cost.ts';
import { measureRunningHour } from '../../bench/claims/many-crawls/running-hour.ts';

test('an hour of few crawls: each that needs something gets it, and nothing at rest costs more than the stack', async () => {
  const { figures, parts } = await measureRunningHour(6, 5);
  expect(figures.longestWaitSeconds?.value).toBeLessThan(120);
  expect(figures.longestEndSeconds?.value).toBeLessThan(600);
  expect(figures.wakerCpuSeconds?.value).toBeCloseTo((parts.calls ?? 0) + (parts.handlers ?? 0));
  const { dollarsPerMonth } = await measureIdleCost(5);
  expect(dollarsPerMonth).toBeLessThan(1.4);
});
