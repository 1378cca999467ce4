import { readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import {
  type CrawlConfig,
  type CrawlOptions,
  crawlConfigSchema,
  parseConfig,
} from '../../../shared/core/crawl/config.ts';

const TEXT = readFileSync(new URL('../../../shared/core/crawl/crawl-options.ts', import.meta.url), 'utf8');

/** Each property of an interface with its comment. */
function documented(name: string): Map<string, string> {
  const [, body = ''] = new RegExp(`export interface ${name} \\{\\n(.*?)^\\}`, 'ms').exec(TEXT) ?? [];
  const found = body.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\n {2}(\w+)\??:/gs);
  return new Map(
    [...found].map(([, comment = '', key = '']) => [key, comment.replace(/\s+\*? ?/g, ' ').trim()]),
  );
}

const OPTIONS = documented('CrawlOptions');
const DEFAULTS: Readonly<Record<string, unknown>> = parseConfig({});

test('the options have the types that the schema takes', () => {
  expectTypeOf<CrawlOptions>().toEqualTypeOf<z.input<typeof crawlConfigSchema>>();
});

test('the complete configuration has the types that the schema gives', () => {
  expectTypeOf<CrawlConfig>().toExtend<z.output<typeof crawlConfigSchema>>();
  expectTypeOf<z.output<typeof crawlConfigSchema>>().toExtend<CrawlConfig>();
  type Missing = Exclude<keyof z.output<typeof crawlConfigSchema>, keyof CrawlConfig>;
  expectTypeOf<Missing>().toEqualTypeOf<never>();
});

test('each option is documented, in the order of the schema', () => {
  expect([...OPTIONS.keys()]).toEqual(Object.keys(crawlConfigSchema.shape));
});

test.each([...OPTIONS])('the editor shows the default of %s', (key, comment) => {
  const shown = /@default (.+)$/.exec(comment)?.[1]?.replaceAll("'", '"');
  const expected = key === 'urlRules' ? undefined : DEFAULTS[key];
  expect(shown).toBe(expected === undefined ? undefined : JSON.stringify(expected));
});

test('the editor shows the default of each URL rule', () => {
  const shown = [...documented('UrlRuleOptions')].map(([key, comment]) => [
    key,
    /@default (\w+)/.exec(comment)?.[1],
  ]);
  expect(shown).toEqual(Object.entries(parseConfig({}).urlRules).map(([key, value]) => [key, String(value)]));
});
