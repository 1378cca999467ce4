import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { base32, parseDigest, sha1Label } from '../../../shared/core/archive/digest.ts';

test.each([
  ['', ''],
  ['f', 'MY======'],
  ['fo', 'MZXQ===='],
  ['foo', 'MZXW6==='],
  ['foob', 'MZXW6YQ='],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI======'],
])('base32 of %j is %j, as RFC 4648 section 10 has it', (text, expected) => {
  expect(base32(Buffer.from(text))).toBe(expected);
});

test('the digest of nothing is the one that every archive knows', () => {
  expect(sha1Label(createHash('sha1').digest())).toBe('sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ');
});

test('a digest in base32, with or without padding, or in hexadecimal, reads as its bytes', () => {
  const algorithms = fc.constantFrom(
    ['md5', 16],
    ['sha1', 20],
    ['sha256', 32],
    ['sha512', 64],
  ) as fc.Arbitrary<[string, number]>;
  const cases = algorithms.chain(([algorithm, size]) =>
    fc.tuple(fc.constant(algorithm), fc.uint8Array({ minLength: size, maxLength: size })),
  );
  fc.assert(
    fc.property(cases, ([algorithm, bytes]) => {
      const padded = base32(bytes);
      for (const value of [
        padded,
        padded.replace(/=+$/, ''),
        padded.toLowerCase(),
        Buffer.from(bytes).toString('hex'),
      ]) {
        expect(parseDigest(`${algorithm}:${value}`)).toEqual({ algorithm, bytes });
      }
    }),
  );
});

test('the label may be written as SHA-256', () => {
  const bytes = new Uint8Array(createHash('sha256').digest());
  expect(parseDigest(`SHA-256:${base32(bytes)}`)).toEqual({ algorithm: 'sha256', bytes });
});

test.each([
  '',
  'sha1',
  'sha1:',
  ':3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ',
  'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBY',
  'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBY1',
  'crc9:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ',
  'constructor:AAAA',
  `md5:${'A'.repeat(25)}B`,
])('%j is no digest', (text) => {
  expect(parseDigest(text)).toBeUndefined();
});
