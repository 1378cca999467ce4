import { expect, test } from 'vitest';
import { extractContent } from '../../../shared/core/content/extract.ts';
import { LAYOUTS, OTHERS, SENTENCES } from './product-layouts.ts';

test.each(Object.entries(LAYOUTS))('a product page keeps its price and its table: %s', (_, [html, parts]) => {
  const { text, kind } = extractContent(html, 'https://shop.example/products/kettle');
  expect(kind).toBe('product');
  expect([...SENTENCES, ...parts].filter((part) => !text.includes(part))).toEqual([]);
  expect(OTHERS.filter((part) => text.includes(part))).toEqual([]);
});

test('prices of other products are not the price of the page', () => {
  const [html] = LAYOUTS.tableLast!;
  const text = extractContent(html.replace('$49.90', 'Ask us'), 'https://shop.example/products/kettle').text;
  expect(text).not.toContain('$');
});
