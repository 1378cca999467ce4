import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { type TrapReason, trapReason } from '../../../shared/core/crawl/traps.ts';

const byDefault = parseConfig({});
const a = (rest: string) => `http://a.com${rest}`;

describe('a URL is a trap by its shape', () => {
  const deep = (n: number) => Array.from({ length: n }, (_, i) => `/s${i}`).join('');
  const query = (n: number) => `/?${Array.from({ length: n }, (_, i) => `p${i}=1`).join('&')}`;
  test.each<[string, TrapReason | undefined, string]>([
    ['/', undefined, 'a root'],
    [deep(20), undefined, 'as deep as allowed'],
    [`${deep(20)}/`, undefined, 'the slash at the end counts for nothing'],
    [deep(21), 'pathDepth', 'deeper'],
    ['/a/a/a/', undefined, 'a segment as often as allowed'],
    ['/a/a/a/a', 'repeatedSegments', 'once more'],
    ['/x/a/a/a/a/y', 'repeatedSegments', 'in the middle'],
    ['/a/b/a/b/a/b/x', undefined, 'two segments as often as allowed'],
    ['/a/b/a/b/a/b/a/b', 'repeatedSegments', 'once more'],
    ['/a/b/a/b/a/b/a', undefined, 'and a half'],
    ['/a/b/c/d/a/b/c/d/a/b/c/d/a/b/c/d', 'repeatedSegments', 'four segments'],
    ['/a/aa/a/aa/a/aaa/a/a', undefined, 'segments that only begin alike'],
    ['/a////b', undefined, 'three empty segments'],
    ['/a/////b', 'repeatedSegments', 'four'],
    ['/a/b/c/b/d/b/e/b/f', undefined, 'the same segment, not in a row'],
    [query(32), undefined, 'as many parameters as allowed'],
    [query(33), 'queryParameters', 'more'],
    ['/?a=1&a=1&b=1&a=1', undefined, 'a parameter three times'],
    ['/?a=1&a=1&b=1&a=1&a=1', 'queryParameters', 'four times'],
    ['/?a=1&a=2&a=3&a=4&a=5', undefined, 'with other values'],
    ['/?/a/a/a/a/a', undefined, 'a path in a query is none'],
    ['/?q', undefined, 'one word'],
    ['/login?next=%2Flogin%3Fnext%3D%252Flogin%253Fnext%253D%25252Fa', undefined, 'escaped three times'],
    ['/login?next=%2Flogin%3Fnext%3D%252Flogin%253Fnext%253D%25252Fa%2525252F', 'repeatedEscapes', 'four'],
    ['/share/%2Fshare%2F%252F%25252F%2525252Fa', 'repeatedEscapes', 'in the path'],
    ['/?a=1&amp;b=2&amp;amp;c=3', undefined, 'an ampersand escaped twice more'],
    ['/?a=1&amp;b=2&amp;amp;c=3&amp;amp;amp;d=4', 'repeatedEscapes', 'three times'],
    ['/?amp%3Bamp%3Bamp%3Bp=1&p=2', 'repeatedEscapes', 'and the semicolon, too'],
    ['/100%25', undefined, 'a percent sign'],
  ])('%s: %s (%s)', (rest, reason) => {
    expect(trapReason(a(rest), byDefault)).toBe(reason);
  });

  test('as a regular expression says it of a path', () => {
    const segment = fc.constantFrom('a', 'b', 'ab', '');
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 24 }), fc.integer({ min: 1, max: 4 }), (segments, max) => {
        const path = segments.map((each) => `/${each}`).join('') || '/';
        // Without the slash at the end, which begins no segment.
        const listed = `${path.replace(/\/$/, '')}/`;
        const repeats = new RegExp(`((?:/[^/]*){1,4}?)\\1{${max}}(?=/)`).test(listed);
        expect(
          trapReason(a(path), { maxPathDepth: 99, maxRepeatedSegments: max, maxQueryParameters: 9 }),
        ).toBe(repeats ? 'repeatedSegments' : undefined);
      }),
      { numRuns: 5000 },
    );
  });

  test('in time linear in its length, however the bounds are set', () => {
    const wide = { maxPathDepth: 1e9, maxRepeatedSegments: 5e4, maxQueryParameters: 1e9 };
    expect(trapReason(a('/a/b'.repeat(45_000)), wide)).toBeUndefined();
    expect(trapReason(a('/'.repeat(90_000)), wide)).toBe('repeatedSegments');
    expect(trapReason(a(`/?${'&a'.repeat(90_000)}`), wide)).toBe('queryParameters');
    expect(trapReason(a('/a'.repeat(1_000_000)), byDefault)).toBe('pathDepth');
  });
});
