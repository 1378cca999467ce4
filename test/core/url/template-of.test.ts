import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { templateOf } from '../../../shared/core/url/template-of.ts';

test.each([
  ['/', '/'],
  ['/shop/item-4711', '/shop/item-0'],
  ['/2024/01/02/title', '/0/0/0/title'],
  ['/a1b22c', '/a0b0c'],
  ['/cal?year=2024&month=3', '/cal?month&year'],
  ['/cal?month=may&year=2024&', '/cal?month&year'],
  ['/?sid=9f3c11aa02', '/?sid'],
  ['/shop?color[]=red&size=&color[1]=blue&&size=l', '/shop?color&size'],
  ['/shop?color%5B%5D=red', '/shop?color'],
  ['/s?4711', '/s?0'],
  ['/s?f12=a&f7=b', '/s?f0'],
  ['/s?', '/s?'],
  ['/IMG20240101', '/0'],
  ['/products/description', '/products/description'],
  ['/550e8400-e29b-41d4-a716-446655440000/x', '/0/x'],
  ['/550e8400-e29b-x', '/0-e0b-x'],
  ['/%D0%90%D0%91', '/%D0%90%D0%91'],
  ['/%201', '/%200'],
  ['/%C3%A9abc123456', '/%C3%A90'],
  ['/100%', '/0%'],
])('of %s is %s', (path, template) => {
  expect(templateOf(`http://h1.example${path}`)).toBe(template);
});

test('has at most 96 characters, however long the URL', () => {
  const url = (pieces: string[]) => canonicalize(`http://a.com/${pieces.join('')}`) as string;
  const piece = fc.constantFrom('1', '22', 'a', 'abcdefgh', '/', '%41', '%C3', '%', '-', '?', '&', '=');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
      expect(templateOf(url(pieces)).length).toBeLessThanOrEqual(96);
    }),
  );
  expect(templateOf(url(['a1/'.repeat(100_000)]))).toBe('/a0'.repeat(32));
  expect(templateOf(url(['1'.repeat(100_000)]))).toBe('/0');
});

test('is the same for URLs that differ in their numbers', () => {
  const piece = fc.oneof(fc.constantFrom('a', '/', '-', '?', '=', 'item'), fc.nat());
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.nat({ max: 8 }), (pieces, more) => {
      const path = (number: (n: number) => number) =>
        // Numbers of one length: a word becomes an id by its length.
        pieces.map((each) => (typeof each === 'number' ? `${10 + (number(each) % 90)}` : each)).join('');
      expect(templateOf(`http://a.com/${path((n) => n)}`)).toBe(
        templateOf(`http://b.com/${path((n) => n + more)}`),
      );
    }),
  );
});
