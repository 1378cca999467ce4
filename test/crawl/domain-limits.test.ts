import { expect, test } from 'vitest';
import { type CrawlOptions, InvalidConfig, parseConfig } from '../../shared/crawl/config.ts';
import { domainLimitsOf } from '../../shared/crawl/domain-limits.ts';

const limits = (options: CrawlOptions) => domainLimitsOf(parseConfig(options));
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

test.each([
  { domainBudget: 0 },
  { domainBudget: 1.5 },
  { domainBudget: 'on' },
  { domainBudgetEveryMs: 999 },
  { domainBudgetEveryMs: 31 * everyMs },
  { maxHostsPerDomain: 0 },
  { maxHostsPerDomain: 10_001 },
])('%o is refused', (options) => {
  expect(() => parseConfig(options)).toThrow(InvalidConfig);
});
