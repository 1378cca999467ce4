import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import {
  type CrawlConfig,
  type CrawlOptions,
  type crawlConfigSchema,
  parseConfig,
} from '../../../shared/core/crawl/config.ts';
import type {
  ClientCertificateOptions,
  CookieOptions,
  IdentityOptions,
  ProxyOptions,
} from '../../../shared/core/crawl/network-options.ts';
import type {
  clientCertificateList,
  cookieList,
  identityKey,
  proxyList,
} from '../../../shared/core/crawl/network-schema.ts';
import { SETTING_LIST } from '../../../shared/core/crawl/settings/settings.ts';

test('the options have the types that the schema takes', () => {
  expectTypeOf<CrawlOptions>().toExtend<z.input<ReturnType<typeof crawlConfigSchema>>>();
  expectTypeOf<z.input<ReturnType<typeof crawlConfigSchema>>>().toExtend<CrawlOptions>();
  expectTypeOf<keyof CrawlOptions>().toEqualTypeOf<keyof z.input<ReturnType<typeof crawlConfigSchema>>>();
  expectTypeOf<CrawlOptions['delayMs']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<CrawlOptions['scope']>().toEqualTypeOf<
    'page' | 'prefix' | 'host' | 'domain' | 'any' | undefined
  >();
  expectTypeOf<CrawlOptions['domainBudget']>().toEqualTypeOf<
    number | 'off' | 'links' | `links:${number}` | undefined
  >();
});

test('settings that are objects have the types that their schemas take', () => {
  expectTypeOf<CookieOptions[]>().toEqualTypeOf<z.input<ReturnType<typeof cookieList>>>();
  expectTypeOf<ProxyOptions[]>().toEqualTypeOf<z.input<ReturnType<typeof proxyList>>>();
  expectTypeOf<ClientCertificateOptions[]>().toEqualTypeOf<
    z.input<ReturnType<typeof clientCertificateList>>
  >();
  expectTypeOf<IdentityOptions>().toEqualTypeOf<z.input<ReturnType<typeof identityKey>>>();
});

test('the complete configuration has the types that the schema gives', () => {
  expectTypeOf<CrawlConfig>().toExtend<z.output<ReturnType<typeof crawlConfigSchema>>>();
  expectTypeOf<z.output<ReturnType<typeof crawlConfigSchema>>>().toExtend<CrawlConfig>();
  expectTypeOf<CrawlConfig['delayMs']>().toEqualTypeOf<number>();
  expectTypeOf<CrawlConfig['maxPages']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<CrawlConfig['urlRules']['sortQuery']>().toEqualTypeOf<boolean>();
});

test.each(SETTING_LIST)('%s has its default if nothing is given', (key, { default: preset }) => {
  const given = parseConfig({})[key];
  if (key === 'urlRules') expect(Object.keys(given as object)).not.toEqual([]);
  else expect(given).toEqual(preset);
});

test.each(SETTING_LIST)('%s is said in sentences', (_, { doc, more, costs }) => {
  expect(doc).toMatch(/^[A-Z`r].*[^.]$/);
  if (more !== undefined) expect(more).toMatch(/^[\dA-Z`r].*\.$/);
  if (costs !== undefined) expect(costs).toMatch(/^[a-z\d].*[^.]$/);
});
