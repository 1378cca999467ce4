import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTextHash } from '../../../shared/core/parser/text-hash.ts';

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
    ['an address', 'at /a/b?c=%20 now', 'at /other now'],
    ['an address with its scheme', 'http://a.test/x', 'http://b.test/'],
    ['an address alone', 'see /a/b it', 'see it'],
    ['an address at the beginning', '/a b', 'b'],
    ['a space at the end', 'abc', 'abc\u00a0'],
    ['a space at the end of two letters', 'ab', 'ab '],
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
    ['a /x b', 'a /x c'],
    ['/x \u00e9', '/x \u00e8'],
    ['/\u00e9', '/\u00e8'],
    ['abcd', 'abdc'],
    ['abcd', 'cdab'],
    ['abc', 'ab c'],
    ['\u4e2d\u6587', '\u6587\u4e2d'],
  ])('%j and %j differ', (one, other) => {
    expect(hash(one)).not.toBe(hash(other));
  });

  test('an address ends with its run of text', () => {
    const ofRuns = (...runs: string[]) => {
      const textHash = createTextHash();
      for (const run of runs) {
        textHash.add(run, 0, run.length);
        textHash.endRun();
      }
      return textHash.value();
    };
    expect(ofRuns('km/h', 'fast')).not.toBe(ofRuns('km/h', 'slow'));
    expect(ofRuns('/a', '/b', 'fast')).toBe(ofRuns('/c', 'fast'));
  });

  test('pieces make the same as the whole, in 32 bits', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', '1', '2', ' ', '/', '\n', '\u00a0', '\u00e9') });
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const value = hash(...pieces);
        expect(value).toBe(hash(pieces.join('')));
        expect(value).toBe(value >>> 0);
      }),
    );
  });
});
