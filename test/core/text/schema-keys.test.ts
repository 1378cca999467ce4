import { expect, test } from 'vitest';
import { z } from 'zod';
import { crawlConfigSchema } from '../../../shared/core/crawl/config.ts';
import { keysAt } from '../../../shared/core/text/schema-keys.ts';

test.each([
  [[], ['a', 'list', 'pair', 'any']],
  [['a'], ['b']],
  [['list', 3], ['c']],
  [['pair', 1], ['d']],
  [['any', 'x'], ['e']],
  [['a', 'b'], []],
  [['none', 'below'], []],
])('the keys at %j are %j', (path, keys) => {
  const schema = z.object({
    a: z.object({ b: z.string() }).optional().prefault({ b: '' }),
    list: z.array(z.strictObject({ c: z.int() }).readonly()).default([]),
    pair: z.tuple([z.string(), z.object({ d: z.string() }).transform((one) => one.d)]),
    any: z.record(z.string(), z.object({ e: z.string() }).nullable()),
  });
  expect(keysAt(schema, path)).toEqual(keys);
});

test("finds the configuration's objects within", () => {
  expect(keysAt(crawlConfigSchema(), ['overrides', 0])).toContain('maxPagesPerHost');
  expect(keysAt(crawlConfigSchema(), ['urlRules'])).toContain('sortQuery');
});
