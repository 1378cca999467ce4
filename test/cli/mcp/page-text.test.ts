import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMarks, fitting, pageLine, pageText, pieceOf } from '../../../cli/mcp/page-text.ts';

const texts = fc.string({ unit: fc.constantFrom('a', '\n', '"', '\\', 'é', '漢', '😀', '\u0001') });

test('the pieces of a text make it up, whatever their size, and part no character', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 7 }), (text, most) => {
      const pieces: string[] = [];
      for (let start: number | undefined = 0; start !== undefined; ) {
        const piece = pieceOf(text, start, most);
        pieces.push(piece.text);
        expect(piece.text.isWellFormed()).toBe(true);
        expect(piece.text.length).toBeLessThanOrEqual(most + 1);
        start = piece.next;
      }
      expect(pieces.join('')).toBe(text);
    }),
  );
});

test.each([
  ['letters', 'a'],
  ['quotes, which JSON escapes', '"'],
  ['Chinese', '漢'],
  ['emoji', '😀'],
])('a piece of 50,000 %s fits into an answer', (_, char) => {
  const { text, next } = pieceOf(char.repeat(100_000), 0, 50_000);
  expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThanOrEqual(56 * 1024);
  expect(text.length).toBeGreaterThan(8_000);
  expect(next).toBe(text.length);
});

test('no text of a page has a tag of marks, whatever it is', () => {
  const parts = fc.constantFrom(
    '<',
    '/',
    ' ',
    'untrusted-',
    'UNTRUSTED-',
    'abc',
    '>',
    '\u200b',
    '\u{e0041}',
    '&lt;',
  );
  fc.assert(
    fc.property(fc.array(parts), fc.string(), (pieces, more) => {
      const marks = createMarks();
      const marked = marks.mark(pageText(pieces.join('') + more));
      expect(marked.match(/<\s*\/?\s*untrusted-/gi)).toHaveLength(2);
      expect(marked.endsWith(`</untrusted-${marks.id}>`)).toBe(true);
    }),
  );
  expect(createMarks().id).not.toBe(createMarks().id);
});

test('a line is one line, and cut at its length', () => {
  expect(pageLine(' a\n\n b\u200bc ', 10)).toBe('a bc');
  expect(pageLine('x'.repeat(1_000_000), 10)).toBe('xxxxxxx...');
});

test('as many rows are given as fit', () => {
  const rows = Array.from({ length: 1000 }, (_, n) => ({ url: `https://a.test/${'x'.repeat(100)}${n}` }));
  const given = fitting(rows, 10_000);
  expect(given.length).toBeGreaterThan(50);
  expect(Buffer.byteLength(JSON.stringify(given))).toBeLessThanOrEqual(10_000 + 2);
  expect(fitting(rows.slice(0, 3))).toHaveLength(3);
});
