/** How many pages have the very bytes of another one. */
export interface Duplicates {
  /** Pages whose payload another page had before. */
  readonly pages: number;
  /** All pages with a body, without routes behind `#`, which have the bytes of their shell. */
  readonly of: number;
  /** Whether it is estimated from a sample. */
  readonly isEstimate: boolean;
}

/** Some 40 MB of memory. */
const MAX_KEPT = 300_000;

/**
 * Exact up to 300,000 different payloads. With more, only those are followed whose digest begins with a zero
 * bit, then with two, and so on: all pages of a payload or none, so that the share of duplicates stays true.
 */
export function createDuplicates(maxKept = MAX_KEPT) {
  /** Pages by 52 bits of the digest, of payloads in the sample. */
  let sample = new Map<number, number>();
  let of = 0;
  let share = 1;
  return {
    add(digest: Uint8Array): void {
      of++;
      const key = keyOf(digest);
      if (key >= share * KEYS) return;
      sample.set(key, (sample.get(key) ?? 0) + 1);
      while (sample.size > maxKept) {
        share /= 2;
        sample = new Map([...sample].filter(([kept]) => kept < share * KEYS));
      }
    },
    duplicates(): Duplicates {
      let inSample = 0;
      for (const pages of sample.values()) inSample += pages;
      const again = inSample - sample.size;
      if (share === 1) return { pages: again, of, isEstimate: false };
      return { pages: inSample > 0 ? Math.round((again / inSample) * of) : 0, of, isEstimate: true };
    },
  };
}

const KEYS = 2 ** 52;
const keyOf = (digest: Uint8Array): number =>
  Buffer.from(digest.buffer, digest.byteOffset, digest.length).readUIntBE(0, 6) * 16 + (digest[6]! & 15);
