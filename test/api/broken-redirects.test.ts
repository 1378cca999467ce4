import { expect, test } from 'vitest';
import { loopsIn, loopText } from '../../api/exports/broken-redirects.ts';

test.each<[Record<string, string>, string[][]]>([
  [{}, []],
  [{ a: 'b', b: 'c' }, []],
  [{ a: 'a' }, [['a']]],
  [{ c: 'b', b: 'a', a: 'c' }, [['a', 'c', 'b']]],
  [{ x: 'y', y: 'a', a: 'b', b: 'a', z: 'x' }, [['a', 'b']]],
  [
    { a: 'b', b: 'a', c: 'd', d: 'c', e: 'c' },
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
])('of %j the loops are %j', (redirects, loops) => {
  expect(loopsIn(new Map(Object.entries(redirects)))).toEqual(loops);
});

test('a long loop is found in linear time, and not named as a whole', () => {
  const count = 200_000;
  const urls = Array.from({ length: count }, (_, i) => `u${String(i).padStart(6, '0')}`);
  const [loop] = loopsIn(new Map(urls.map((url, i) => [url, urls[(i + 1) % count]!])));
  expect(loop).toHaveLength(count);
  expect(loopText(loop!)).toBe(
    'a loop of redirects: to u000001, then to u000002, then to u000003, then to u000004, then to ..., then to u000000',
  );
});
