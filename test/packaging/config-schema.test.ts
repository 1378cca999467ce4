import { expect, test } from 'vitest';
import { configSchema } from '../../packaging/config-schema.ts';
import { commentOf, membersOf } from '../../packaging/document-settings.ts';
import { SETTING_LIST, SETTINGS } from '../../shared/core/crawl/settings/settings.ts';

const schema = configSchema() as {
  properties: Record<string, { description?: string; default?: unknown; items?: { properties: object } }>;
  additionalProperties: boolean;
};

test('the JSON schema has each setting with its default and its sentences', () => {
  expect(Object.keys(schema.properties)).toEqual(Object.keys(SETTINGS));
  expect(schema.additionalProperties).toBe(false);
  for (const [key, { default: preset }] of SETTING_LIST)
    expect([key, schema.properties[key]?.default]).toEqual([key, preset]);
  for (const { description } of Object.values(schema.properties)) expect(description).toMatch(/^\S.+\.$/);
  expect(schema.properties.delayMs).toMatchObject({ type: 'number', minimum: 0, default: 1000 });
  expect(schema.properties.delayMs?.description).toMatch(/^Shortest pause between two requests to a host\./);
});

test('an editor shows the sentences and the default of a setting', () => {
  expect(commentOf(SETTINGS.sitemaps)).toBe(
    "/** Which sitemaps are read: none, those that robots.txt names, or also `/sitemap.xml` if it names none. @default 'robots' */",
  );
  for (const [, setting] of SETTING_LIST) expect(commentOf(setting).slice(3, -2)).not.toContain('*/');
});

test('options are written out as the declarations of their records have them', () => {
  const { cookies, feeds, sitemaps } = SETTINGS;
  const declarations = [
    '    cookies: Setting<import("../network-options.ts").CookieOptions[], Cookie[], undefined>;',
    '    feeds: import("./setting.ts").Setting<Record<string, [a: 1]>, boolean>;',
  ].join('\n');
  expect(membersOf(declarations, { cookies, feeds }, 'settings/settings.d.ts').split('\n')).toEqual([
    `    ${commentOf(cookies)}`,
    '    cookies?: import("./network-options.ts").CookieOptions[];',
    `    ${commentOf(feeds)}`,
    '    feeds?: Record<string, [a: 1]>;',
  ]);
  expect(() => membersOf(declarations, { sitemaps }, 'x.d.ts')).toThrow('declarations of sitemaps');
});
