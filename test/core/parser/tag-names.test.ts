import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tagNameAt } from '../../../shared/core/parser/tag-names.ts';

const NAMES = ['a', 'h1', 'h\u0011', 'div', 'DIV', 'Blockquote', 'figcaption', 'image', 'x-card'];
/** Letters that other ones become in lower case, or that differ from one in a single bit. */
const LETTERS = [...'aAhHdDiIvVmMrRkK1\u0011!\u212a\u0130\u0141\u0101'];

test('a name is the text between two places, in lower case', () => {
  const name = fc.oneof(
    fc.constantFrom(...NAMES),
    fc.array(fc.constantFrom(...LETTERS), { maxLength: 6 }).map((letters) => letters.join('')),
    fc.string({ maxLength: 14 }),
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 3 }), name, fc.string({ maxLength: 3 }), (before, name, after) => {
      const html = before + name + after;
      expect(tagNameAt(html, before.length, before.length + name.length)).toBe(name.toLowerCase());
    }),
    { numRuns: 2000 },
  );
});
