import { expect, test } from 'vitest';
import { extractContent } from '../../../shared/core/content/extract.ts';
import { withoutHang } from '../../hang-guard.ts';
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

test('many prices in an element of a long class take linear time', () => {
  const [html] = LAYOUTS.tableLast!;
  const prices = `<nav class="${'a'.repeat(2_000_000)}">${'<p>$1</p>'.repeat(15_000)}</nav>`;
  const page = html.replace('$49.90', 'Ask us').replace('</body>', `${prices}</body>`);
  const { text, kind } = withoutHang(() => extractContent(page, 'https://shop.example/products/kettle'));
  expect(kind).toBe('product');
  expect(text).not.toContain('$');
});
