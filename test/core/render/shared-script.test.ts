import { expect, test } from 'vitest';
import { isForAll } from '../../../shared/core/render/shared-script.ts';

test.each<readonly [string, boolean, Record<string, string>, boolean]>([
  ['without a word', false, {}, true],
  ['without a word, asked for with cookies', true, {}, false],
  ['that sets a cookie', false, { 'Set-Cookie': 'a=1' }, false],
  [
    'of a file behind a balancer that sets a cookie',
    false,
    { 'Set-Cookie': 'LB=1', 'Last-Modified': 'Sun, 06 Nov 1994 08:49:37 GMT' },
    true,
  ],
  ['of a file, with cookies', true, { 'Last-Modified': 'Sun, 06 Nov 1994 08:49:37 GMT' }, true],
  ['that caches keep, with cookies', true, { 'Cache-Control': 'public, max-age=31536000, immutable' }, true],
  ['for a time, with cookies', true, { 'Cache-Control': 'max-age=600' }, true],
  ['that is stale at once, with cookies', true, { 'Cache-Control': 'max-age=0, must-revalidate' }, false],
  ['of one visitor', false, { 'Cache-Control': 'max-age=0, Private, must-revalidate' }, false],
  ['that is not to be stored', false, { 'cache-control': 'no-store' }, false],
  ['that differs by cookies', false, { Vary: 'Accept-Encoding, Cookie' }, false],
  ['that differs by coding', false, { Vary: 'Accept-Encoding' }, true],
  ['that always differs', false, { Vary: '*' }, false],
])('a script %s: shared or not', (_, hasCookies, headers, is) => {
  expect(isForAll({ headers: Object.entries(headers) }, hasCookies)).toBe(is);
});
