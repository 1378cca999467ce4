import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { srcsetReferences } from '../../../shared/core/parser/srcset.ts';

function references(srcset: string): string[] {
  const found: string[] = [];
  srcsetReferences(srcset, (reference) => found.push(reference));
  return found;
}

describe('srcsetReferences', () => {
  test.each<[string, string[]]>([
    ['a.png', ['a.png']],
    [' a.png 1x , b.png 2x ', ['a.png', 'b.png']],
    ['a.png, b.png 2x', ['a.png', 'b.png']],
    ['a.png 1x,b.png 2x', ['a.png', 'b.png']],
    ['a,b.png 100w,c,d.png', ['a,b.png', 'c,d.png']],
    ['data:image/png;base64,AA== 1x, b.png', ['data:image/png;base64,AA==', 'b.png']],
    ['a.png (1,2) 3x, b.png', ['a.png', 'b.png']],
    ['a.png (1,2', ['a.png']],
    ['a.png,,, ,b.png', ['a.png', 'b.png']],
    [',,,', []],
    ['', []],
    [' \n ', []],
  ])('%j names %j', (srcset, expected) => {
    expect(references(srcset)).toEqual(expected);
  });

  test('candidates that are written are read again', () => {
    const url = fc.stringMatching(/^[a-z/][a-z,/]{0,6}[a-z/]$/);
    const descriptor = fc.constantFrom('', ' 1x', ' 100w', ' 1x (a,b)');
    fc.assert(
      fc.property(fc.array(fc.tuple(url, descriptor), { maxLength: 8 }), (candidates) => {
        expect(references(candidates.map(([a, b]) => a + b).join(', '))).toEqual(candidates.map(([a]) => a));
      }),
    );
  });

  test.each(['a ', ', ', 'a,', '( ', 'a ('])('a million times %j takes linear time', (part) => {
    expect(references(part.repeat(1_000_000)).length).toBeLessThanOrEqual(1_000_000);
  });
});
