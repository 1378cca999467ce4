import { expect, test } from 'vitest';
import { hashOfUrl } from '../../../../shared/crawler/turn/links/hash-of-url.ts';

test.each([
  ['', 0],
  ['a', 97],
  ['ab', 3105],
  // As Java's `String.hashCode` has it, with 32 bits and a sign.
  ['http://a.test/', 2_044_652_478],
  ['http://a.test/path?query=1', 1_442_826_016],
  ['http://example.org/some/long/path', 656_498_078],
  ['\u{1f600}', 1_772_899],
])('the hash of %j is that which heads keep: %i', (url, hash) => {
  expect(hashOfUrl(url)).toBe(hash);
});
