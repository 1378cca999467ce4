import { expect, test } from 'vitest';
import { type CrawlOptions, InvalidConfig, parseConfig } from '../../../shared/core/crawl/config.ts';
import { domainLimitsOf, longestBudgetWaitMs } from '../../../shared/core/crawl/domain-limits.ts';

const limits = (options: CrawlOptions, domain = 'example.org') =>
  domainLimitsOf(parseConfig(options), domain);
const everyMs = 86_400_000;

test('only a crawl of the whole web has limits for domains by default', () => {
  expect(limits({ scope: 'any' })).toEqual({ budget: 1000, maxHosts: 1000, everyMs });
  for (const scope of ['page', 'prefix', 'host', 'domain'] as const)
    expect(limits({ scope })).toEqual({ everyMs });
});

test('limits that are given hold with each scope, and off means none', () => {
  expect(limits({ scope: 'host', domainBudget: 5, domainBudgetEveryMs: 3_600_000 })).toEqual({
    budget: 5,
    everyMs: 3_600_000,
  });
  expect(limits({ scope: 'domain', maxHostsPerDomain: 7 })).toEqual({ maxHosts: 7, everyMs });
  expect(limits({ scope: 'any', domainBudget: 'off', maxHostsPerDomain: 'off' })).toEqual({ everyMs });
});

test('a domain may have a budget of its own, whatever the others have', () => {
  const domainBudgets = { 'example.org': 7, 'b.org': 2 };
  expect(limits({ domainBudgets })).toEqual({ budget: 7, everyMs });
  expect(limits({ domainBudgets }, 'c.org')).toEqual({ everyMs });
  expect(limits({ domainBudgets, domainBudget: 3 }, 'b.org')).toEqual({ budget: 2, everyMs });
  expect(limits({ domainBudgets, domainBudget: 3 }, 'c.org')).toEqual({ budget: 3, everyMs });
  expect(limits({ domainBudgets }, 'constructor')).toEqual({ everyMs });
});

test('budgets may grow by links, but for domains that have one of their own', () => {
  expect(limits({ domainBudget: 'links' })).toEqual({ budget: 1000, growsByLinks: true, everyMs });
  expect(limits({ domainBudget: 'links:20' })).toEqual({ budget: 20, growsByLinks: true, everyMs });
  const domainBudgets = { 'example.org': 7 };
  expect(limits({ domainBudget: 'links', domainBudgets })).toEqual({ budget: 7, everyMs });
  expect(longestBudgetWaitMs(parseConfig({ domainBudget: 'links' }))).toBe(everyMs);
});

test('a host may wait for a period where a domain has a budget', () => {
  const wait = (options: CrawlOptions) => longestBudgetWaitMs(parseConfig(options));
  expect([{}, { scope: 'any', domainBudget: 'off' }].map((options) => wait(options as CrawlOptions))).toEqual(
    [0, 0],
  );
  for (const options of [
    { scope: 'any' },
    { domainBudget: 3 },
    { domainBudgets: { 'a.org': 1 } },
  ] as CrawlOptions[])
    expect(wait(options)).toBe(everyMs);
});

test.each([
  { domainBudgets: { 'example.org': 0 } },
  { domainBudgets: { 'Example.org': 1 } },
  { domainBudgets: Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`a${i}.org`, 1])) },
  { domainBudget: 0 },
  { domainBudget: 1.5 },
  { domainBudget: 'on' },
  { domainBudget: 'links:' },
  { domainBudget: 'links:0' },
  { domainBudget: 'links:1.5' },
  { domainBudget: 'links:1234567890' },
  { domainBudgetEveryMs: 999 },
  { domainBudgetEveryMs: 31 * everyMs },
  { maxHostsPerDomain: 0 },
  { maxHostsPerDomain: 10_001 },
])('%o is refused', (options) => {
  expect(() => parseConfig(options)).toThrow(InvalidConfig);
});
