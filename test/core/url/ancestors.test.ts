import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ancestors } from '../../../shared/core/url/ancestors.ts';
import { canonicalize } from '../../../shared/core/url/canonical.ts';

test.each([
  ['http://a.com/b/c/d?q=/x/', ['/b/c/', '/b/', '/']],
  ['http://a.com/b/c/', ['/b/', '/']],
  ['http://a.com/b', ['/']],
  ['http://a.com/', []],
  ['http://a.com/?q', ['/']],
  ['http://a.com/b/?q', ['/b/', '/']],
  ['http://a.com//b', ['//', '/']],
  ['https://[::1]:8080/b/c', ['/b/', '/']],
])('above %s are %j', (url, folders) => {
  expect(ancestors(url).map((folder) => new URL(folder).pathname)).toEqual(folders);
});

test('each is a canonical folder of the same host, shorter than the one before, and has the rest above it', () => {
  const segment = fc.constantFrom('a', 'b.html', '', '%20', 'c;d=1');
  const url = fc
    .tuple(fc.array(segment, { maxLength: 6 }), fc.constantFrom('', '?', '?x=/y/'))
    .map(([segments, query]) => canonicalize(`http://a.com/${segments.join('/')}${query}`) as string);
  fc.assert(
    fc.property(url, (given) => {
      const above = ancestors(given);
      let before = given;
      for (const [i, folder] of above.entries()) {
        expect(canonicalize(folder)).toBe(folder);
        expect(given.startsWith(folder) && folder.endsWith('/') && folder.length < before.length).toBe(true);
        expect(ancestors(folder)).toEqual(above.slice(i + 1));
        before = folder;
      }
      expect(above.at(-1) ?? given).toBe('http://a.com/');
    }),
  );
});
