import { expect, test } from 'vitest';
import { crawlConfigSchema, InvalidConfig, parseConfig } from '../../../shared/core/crawl/config.ts';

const COMPLETE = crawlConfigSchema().parse({});

test.each([
  {},
  { maxPages: 5, contact: 'bot@example.org' },
  { maxPages: undefined, delayMs: undefined },
  { urlRules: { sortQuery: true }, domainBudgets: {}, include: [] },
  { overrides: [{ hosts: ['a.example'], maxPagesPerHost: 3 }] },
  { include: ['^https://a.example/'], cookies: [] },
  COMPLETE,
  { ...COMPLETE, scope: 'any' },
])('a configuration is as its schema makes it: %j', (given) => {
  const expected = crawlConfigSchema().parse(given);
  const config = parseConfig(given);
  expect(config).toStrictEqual(expected);
  expect(JSON.stringify(config)).toBe(JSON.stringify(expected));
});

test.each([
  { maxPages: 'x', unknown: 1, contact: 3 },
  { unknown: undefined },
  { urlRules: { unknown: true } },
  { overrides: [{ hosts: [] }] },
  JSON.parse('{ "__proto__": 1 }') as object,
  [],
  null,
])('faults are those that its schema finds: %j', (given) => {
  const expected = crawlConfigSchema().safeParse(given).error?.issues;
  let fault: unknown;
  try {
    parseConfig(given);
  } catch (error) {
    fault = error;
  }
  expect(fault).toBeInstanceOf(InvalidConfig);
  expect((fault as Error).cause).toMatchObject({ issues: expected });
});

test('lists of two configurations are not the same list', () => {
  expect(parseConfig({}).include).not.toBe(parseConfig({}).include);
});

test.each([
  { ipDelayMs: -1 },
  { ipDelayMs: 60_001 },
  { ipDelayExcept: ['1.2.3.4'] },
  { ipDelayExcept: ['a/8'] },
  { ipDelayExcept: Array.from({ length: 2001 }, (_, i) => `10.${i >> 8}.${i & 255}.0/24`) },
])('the configuration %j is refused', (options) => {
  expect(() => parseConfig(options)).toThrow(InvalidConfig);
});
