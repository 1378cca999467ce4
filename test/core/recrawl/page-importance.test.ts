import { expect, test } from 'vitest';
import {
  factorCode,
  factorOf,
  newLinksOf,
  pageImportance,
  withNewLinks,
} from '../../../shared/core/recrawl/page-importance.ts';

const PAGE = { isSitemap: false, isSeed: false, level: 2 };

test('a page whose changes bring new links is worth more, by what they are worth', () => {
  const plain = pageImportance(PAGE);
  expect(plain).toBe(4);
  let code: number | undefined;
  for (let change = 0; change < 8; change++) code = withNewLinks(code, 3);
  expect(pageImportance({ ...PAGE, newLinks: code })).toBeCloseTo(4 + 4 * 3, 0);
  for (let change = 0; change < 30; change++) code = withNewLinks(code, 0);
  expect(pageImportance({ ...PAGE, newLinks: code }), 'it brings none any more').toBeLessThan(4.5);
});

test('a code is a byte, and a trap of new links does not take the budget', () => {
  const code = withNewLinks(undefined, 1e9);
  expect(code).toBeLessThan(256);
  expect(newLinksOf(code)).toBeCloseTo(64, 0);
  expect(withNewLinks(255, 1e9)).toBeLessThan(256);
  expect(withNewLinks(undefined, 0)).toBe(0);
});

test('the factor of a hook weighs a page and what its new links are worth, and no sitemap', () => {
  expect(pageImportance({ ...PAGE, factor: factorCode(4) })).toBeCloseTo(16);
  expect(
    pageImportance({ ...PAGE, factor: factorCode(0.5), newLinks: withNewLinks(undefined, 3) }),
  ).toBeCloseTo(8, 0);
  expect(pageImportance({ ...PAGE, isSitemap: true, factor: factorCode(4) })).toBe(128);
  expect(factorOf(factorCode(1))).toBe(1);
  for (let factor = 0.001; factor <= 1000; factor *= 1.01) {
    expect(factorCode(factor)).toBeGreaterThanOrEqual(0);
    expect(factorCode(factor)).toBeLessThan(256);
    expect(Math.abs(factorOf(factorCode(factor)) / factor - 1)).toBeLessThan(0.03);
  }
});
