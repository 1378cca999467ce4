import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createTemplateCounts,
  MAX_COUNTED_TEMPLATES,
  quotaTemplateOf,
} from '../../../shared/core/frontier/template-counts.ts';
import { requestUrl } from '../../../shared/core/url/request-url.ts';

const templateAt = (url: string) => quotaTemplateOf({ url, depth: 1 });

test('URLs count for their template if that may have more than one page', () => {
  expect(templateAt('http://a.test/item/17')).toBe('/item/0');
  expect(templateAt('https://a.test/list?page=2&q=x')).toBe('/list?page&q');
  expect(templateAt('http://a.test/wiki/Some_words')).toBeUndefined();
  expect(templateAt('http://a.test/')).toBeUndefined();
  const long = `http://a.test/${'x'.repeat(200)}`;
  expect(templateAt(`${long}a`)).toBe(templateAt(`${long}b`));
  expect(templateAt(`${long}a`)).toBeDefined();
});

test('seeds, parts of pages, sitemaps and requests of the project do not count', () => {
  const url = 'http://a.test/item/17';
  expect(quotaTemplateOf({ url, depth: 0 })).toBeUndefined();
  expect(quotaTemplateOf({ url, depth: 1, kind: 'requisite' })).toBeUndefined();
  expect(quotaTemplateOf({ url, depth: 1, kind: 'sitemap' })).toBeUndefined();
  expect(templateAt(requestUrl(url, { label: 'x' }))).toBeUndefined();
});

test('up to their number, counts are exact, also when they were stored', () => {
  const templates = Array.from({ length: MAX_COUNTED_TEMPLATES }, (_, i) => `/x${i}/0`);
  let counts = createTemplateCounts();
  expect(counts.state()).toBeUndefined();
  for (let round = 0; round < 3; round++) {
    for (const [i, template] of templates.entries()) for (let n = 0; n <= i % 3; n++) counts.add(template);
    counts = createTemplateCounts(counts.state());
  }
  for (const [i, template] of templates.entries()) expect(counts.of(template)).toBe(3 * ((i % 3) + 1));
  expect(counts.highest).toBe(9);
  expect(counts.state()?.length).toBeLessThan(4096);
});

test('beyond, no count is too high, and none too low by more than its part of all pages', () => {
  const max = 4;
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 300 }), fc.nat(20), (pages, every) => {
      const exact = new Map<string, number>();
      let counts = createTemplateCounts(undefined, max);
      for (const [i, n] of pages.entries()) {
        const template = `/t${'x'.repeat(n)}/0`;
        exact.set(template, (exact.get(template) ?? 0) + 1);
        counts.add(template);
        if (i % (every + 1) === every) counts = createTemplateCounts(counts.state(), max);
      }
      for (const [template, count] of exact) {
        expect(counts.of(template)).toBeLessThanOrEqual(count);
        expect(counts.of(template)).toBeGreaterThanOrEqual(count - pages.length / (max + 1));
      }
    }),
  );
});

test('a host with a million templates keeps a few, and those with many pages among them', () => {
  const counts = createTemplateCounts();
  for (let i = 0; i < 100_000; i++) {
    counts.add(`/${i.toString(36)}/0`);
    if (i % 10 === 0) counts.add('/item/0');
  }
  expect(counts.of('/item/0')).toBeGreaterThan(10_000 - 110_000 / 513);
  expect(counts.state()?.length).toBeLessThan(4096);
});
