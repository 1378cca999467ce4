import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprint } from '../../../shared/core/url/fingerprint.ts';
import { murmur128 } from './murmur-reference.ts';

const hex = (words: number[]) => words.map((w) => w.toString(16).padStart(8, '0')).join('');
function fingerprintHex(url: string): string {
  const halves = new Uint32Array(2);
  fingerprint(url, halves, 0);
  return hex([...halves]);
}
const latin1 = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

describe('the reference used by these tests', () => {
  test('gives the verification value that SMHasher publishes for MurmurHash3_x86_128', () => {
    // Keys 0, 01, 0102, ... of 0 to 255 bytes, seed 256 - length; then all hashes hashed with seed 0.
    const all = new Uint8Array(256 * 16);
    const view = new DataView(all.buffer);
    for (let length = 0; length < 256; length++) {
      const key = Uint8Array.from({ length }, (_, i) => i);
      murmur128(key, 256 - length).forEach((w, i) => {
        view.setUint32(length * 16 + i * 4, w, true);
      });
    }
    // SMHasher reads the first four bytes of the little-endian result, which are its first word.
    expect(murmur128(all, 0)[0]).toBe(0xb3ece62a);
  });
});

describe('fingerprint', () => {
  // Published for MurmurHash3_x86_128, seed 0: SMHasher's "" and what several libraries test with.
  test.each([
    ['', '00000000000000000000000000000000'],
    ['The quick brown fox jumps over the lazy dog', '2f1583c3ecee2c675d7bf66ce5e91d2c'],
    ["I will not buy this tobacconist's, it is scratched.", '9b5b7ba2ef3f7866889adeaf00f3f98e'],
    [
      'MurmurHash3 was written by Austin Appleby, and is placed in the public',
      '6d3583489d9d1e5a898493af67e2ad10',
    ],
  ])('is the first half of the published hash of %j', (text, published) => {
    expect(hex(murmur128(latin1(text), 0))).toBe(published);
    expect(fingerprintHex(text)).toBe(published.slice(0, 16));
  });

  test('equals the reference for bytes of any length', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary-ascii', maxLength: 100 }),
      fc.uint8Array({ maxLength: 100 }).map((bytes) => String.fromCharCode(...bytes)),
    );
    fc.assert(
      fc.property(text, (s) => {
        expect(fingerprintHex(s)).toBe(hex(murmur128(latin1(s), 0)).slice(0, 16));
      }),
      { numRuns: 1000 },
    );
  });

  test('takes the low eight bits of characters that no canonical URL has', () => {
    expect(fingerprintHex('http://a/\u0141\ud800')).toBe(fingerprintHex('http://a/A\u0000'));
  });

  test('writes two words at the given offset and no others', () => {
    const out = new Uint32Array([7, 7, 7, 7]);
    fingerprint('http://example.com/', out, 1);
    const digits = fingerprintHex('http://example.com/');
    expect([...out]).toEqual([7, parseInt(digits.slice(0, 8), 16), parseInt(digits.slice(8), 16), 7]);
  });
});
