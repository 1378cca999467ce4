import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTextHash } from '../../shared/parser/text-hash.ts';

function hash(...pieces: string[]): number {
  const textHash = createTextHash();
  for (const piece of pieces) textHash.add(`<${piece}>`, 1, 1 + piece.length);
  return textHash.value();
}

describe('createTextHash', () => {
  test.each([
    ['white space', ' a  b\n\u00a0c ', 'a b c'],
    ['numbers', 'of 12 pages, 2026-01-31', 'of 3 pages, 1-2-3'],
    ['nothing', '', ' \n '],
  ])('%s makes no difference', (_, one, other) => {
    expect(hash(one)).toBe(hash(other));
  });

  test.each([
    ['a b', 'ab'],
    ['1 2', '12'],
    ['a', 'b'],
    ['', 'a'],
    ['a1', 'a'],
    ['ab', 'ba'],
  ])('%j and %j differ', (one, other) => {
    expect(hash(one)).not.toBe(hash(other));
  });

  test('pieces make the same as the whole, in 32 bits', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', '1', '2', ' ', '\n', '\u00a0', '\u00e9') });
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const value = hash(...pieces);
        expect(value).toBe(hash(pieces.join('')));
        expect(value).toBe(value >>> 0);
      }),
    );
  });
});
