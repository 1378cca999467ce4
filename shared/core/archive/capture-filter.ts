/**
 * A text of at most 2 KB that says which captures a WARC file may hold: a Bloom filter (Bloom, CACM 1970) of their SURTs, and
 * of the hosts in these. So a file without an index need not be read to learn that it has no capture of a URL, or of a host.
 * Twelve bits a key and eight hashes: one file in 300 seems to hold what it does not.
 */
import { fingerprint } from '../url/fingerprint.ts';
import type { KeyRange } from './capture-query.ts';

/** The keys of a full filter: 1,440 bytes, as S3 stores up to 2 KB of text with an object. */
export const MAX_FILTER_KEYS = 960;
const BITS_OF_KEY = 12;
const HASHES = 8;
/** Names the layout: another one is not understood. */
const MARK = 'b12.';
const FILTER = /^b12\.[A-Za-z0-9+/]{1,1920}={0,2}$/;

/** The keys of a file that is being written. */
export interface CaptureFilter {
  /** `lineStart`: what the line of a capture in an index begins with (`cdxj.ts`). */
  add(lineStart: string): void;
  /** It has {@link MAX_FILTER_KEYS}; with more, it says less. */
  readonly isFull: boolean;
  text(): string;
}

export function createCaptureFilter(): CaptureFilter {
  const keys = new Set<string>();
  return {
    add(lineStart) {
      const key = lineStart.slice(0, lineStart.indexOf(' '));
      keys.add(key);
      const host = hostOf(key);
      if (host !== '') keys.add(host);
    },
    get isFull() {
      return keys.size >= MAX_FILTER_KEYS;
    },
    text() {
      const bits = BITS_OF_KEY * Math.max(1, Math.min(MAX_FILTER_KEYS, keys.size));
      const bytes = Buffer.alloc(Math.ceil(bits / 8));
      for (const key of keys)
        for (const bit of bitsOf(key, 8 * bytes.length)) {
          const at = bit >>> 3;
          bytes[at] = (bytes[at] as number) | (1 << (bit & 7));
        }
      return MARK + bytes.toString('base64');
    },
  };
}

/**
 * The key whose absence from a filter means that a file has no capture within the range: a SURT, or a host. Undefined for ranges
 * of more than one host.
 */
export function filterKeyOf({ from, below }: KeyRange): string | undefined {
  const key = from.trimEnd();
  if (key !== '' && below > from && below <= `${key}!`) return key;
  const host = hostOf(from);
  // `*` is the character after `)`.
  return host !== '' && below > from && below <= `${host.slice(0, -1)}*` ? host : undefined;
}

/** Whether the file with this filter may have such a capture; true for a text that is not a filter. */
export function mayHold(filter: string | undefined, key: string): boolean {
  if (filter === undefined || !FILTER.test(filter)) return true;
  const bytes = Buffer.from(filter.slice(MARK.length), 'base64');
  return bitsOf(key, 8 * bytes.length).every(
    (bit) => (((bytes[bit >>> 3] as number) >>> (bit & 7)) & 1) === 1,
  );
}

/** `com,example)`, with the port if there is one; empty for a key without a host. */
const hostOf = (key: string): string => key.slice(0, key.indexOf(')') + 1);

/** The bits of a key among `size` (double hashing: Kirsch and Mitzenmacher, 2006). */
function bitsOf(key: string, size: number): number[] {
  const halves = new Uint32Array(2);
  fingerprint(key, halves, 0);
  const [first, step] = halves as unknown as [number, number];
  return Array.from({ length: HASHES }, (_, n) => ((first + Math.imul(n, step | 1)) >>> 0) % size);
}
