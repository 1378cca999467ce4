/** Digests as WARC writes them: `algorithm:value`, the value in base32 (ISO 28500:2017, section 5.8). */

import { hash } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const PADDING = '=';

/** Bytes of a digest, by the algorithm's label. */
const DIGEST_BYTES: Readonly<Record<string, number>> = { md5: 16, sha1: 20, sha256: 32, sha512: 64 };

export interface Digest {
  /** Lower case, without hyphens: `sha1`, `sha256`. */
  readonly algorithm: string;
  readonly bytes: Uint8Array;
}

/**
 * RFC 4648 section 6, upper case, padded with `=` (none is needed for the 20 bytes of SHA-1). `bytes` as a text: in
 * Latin-1, which Node's hashes give in a third of the time.
 */
export function base32(bytes: Uint8Array | string): string {
  const digits = Buffer.allocUnsafe(Math.ceil(bytes.length / 5) * 8);
  let size = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < bytes.length; i++) {
    held = (held << 8) | (typeof bytes === 'string' ? bytes.charCodeAt(i) : bytes[i]!);
    for (bits += 8; bits >= 5; size++) {
      bits -= 5;
      digits[size] = CODES[(held >>> bits) & 31]!;
    }
    held &= (1 << bits) - 1;
  }
  if (bits > 0) digits[size++] = CODES[(held << (5 - bits)) & 31]!;
  if (size < digits.length) digits.fill(PADDING, size);
  return digits.toString('latin1');
}

const CODES = Buffer.from(ALPHABET);

/** `sha1:` and the base32 of `bytes` (a text: in Latin-1). */
export function sha1Label(bytes: Uint8Array | string): string {
  return `sha1:${base32(bytes)}`;
}

/** The label of the digest of `block`. */
export const sha1LabelOf = (block: Uint8Array): string => sha1Label(hash('sha1', block, 'binary'));

/**
 * Reads a labelled digest, its value in base32 (padded or not, any case) or hexadecimal, as WARC writers
 * differ. Undefined for an unknown algorithm, or a value that is neither or of the wrong length.
 */
export function parseDigest(text: string): Digest | undefined {
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  const algorithm = text.slice(0, colon).trim().toLowerCase().replace('-', '');
  const size = Object.hasOwn(DIGEST_BYTES, algorithm) ? DIGEST_BYTES[algorithm]! : 0;
  if (size === 0) return undefined;
  const value = text.slice(colon + 1).trim();
  if (value.length === size * 2 && /^[0-9a-f]+$/i.test(value)) {
    return { algorithm, bytes: new Uint8Array(Buffer.from(value, 'hex')) };
  }
  const bytes = parseBase32(value, size);
  return bytes && { algorithm, bytes };
}

function parseBase32(value: string, size: number): Uint8Array | undefined {
  const digits = value.replace(/={1,6}$/, '').toUpperCase();
  if (digits.length !== Math.ceil((size * 8) / 5)) return undefined;
  const bytes = new Uint8Array(size);
  let filled = 0;
  let bits = 0;
  let held = 0;
  for (const digit of digits) {
    const five = ALPHABET.indexOf(digit);
    if (five < 0) return undefined;
    held = (held << 5) | five;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[filled++] = held >>> bits;
      held &= (1 << bits) - 1;
    }
  }
  // Bits beyond the last byte must be zero, so that a digest has one base32 form.
  return held === 0 ? bytes : undefined;
}
