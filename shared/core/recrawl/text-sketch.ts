/**
 * 32 bytes of a text, by which texts that are alike are found: one-permutation MinHash (Li, Owen and Zhang, NIPS
 * 2012) of runs of four words, 64 bins, four bits a bin (b-bit MinHash, Li and König, WWW 2010). Over the text
 * without blocks that repeat on the host's other pages: with them, pages of one site all look alike.
 */
import { mixHash } from '../base/mix-hash.ts';
import type { HashedBlocks } from '../parser/hashed-blocks.ts';
import type { KnownBlocks } from './change-digest.ts';

export const SKETCH_BYTES = 32;

const BINS = 64;
const EMPTY = 0xffffffff;

/** Undefined for a text of fewer than four words. */
export function textSketch(
  { blocks, words, ends }: HashedBlocks,
  repeated: KnownBlocks,
): Uint8Array | undefined {
  const least = new Uint32Array(BINS).fill(EMPTY);
  let [a, b, c, taken, from] = [0, 0, 0, 0, 0];
  for (let n = 0; n < blocks.length; n++) {
    const end = ends[n] as number;
    if (!repeated.has(blocks[n] as number)) {
      for (let at = from; at < end; at++) {
        const d = words[at] as number;
        if (++taken >= 4) {
          const run = mixHash(Math.imul(Math.imul(Math.imul(a, PRIME) + b, PRIME) + c, PRIME) + d);
          const bin = run >>> 26;
          const value = Math.imul(run, PRIME) >>> 0;
          if (value < (least[bin] as number)) least[bin] = value;
        }
        [a, b, c] = [b, c, d];
      }
    }
    from = end;
  }
  return taken < 4 ? undefined : packed(least);
}

const PRIME = 0x85ebca6b;

/** The number of words in the blocks that do not repeat, of which {@link textSketch} is made. */
export function countOwnWords({ blocks, ends }: HashedBlocks, repeated: KnownBlocks): number {
  let count = 0;
  let from = 0;
  for (let n = 0; n < blocks.length; n++) {
    const end = ends[n] as number;
    if (!repeated.has(blocks[n] as number)) count += end - from;
    from = end;
  }
  return count;
}

/** An empty bin takes the value of the next one that is not, mixed with the distance (Shrivastava and Li, 2014). */
function packed(least: Uint32Array): Uint8Array {
  const sketch = new Uint8Array(SKETCH_BYTES);
  for (let bin = 0; bin < BINS; bin++) {
    let distance = 0;
    while (least[(bin + distance) % BINS] === EMPTY) distance++;
    const nibble = mixHash((least[(bin + distance) % BINS] as number) + distance) & 0xf;
    const at = bin >>> 1;
    sketch[at] = (sketch[at] as number) | (nibble << (4 * (bin & 1)));
  }
  return sketch;
}

/** Returns about the share of runs of words that two texts have in common (Jaccard), 0 to 1. */
export function similarity(a: Uint8Array, b: Uint8Array): number {
  let equal = 0;
  for (let at = 0; at < SKETCH_BYTES; at++) {
    const differ = (a[at] as number) ^ (b[at] as number);
    if ((differ & 0x0f) === 0) equal++;
    if ((differ & 0xf0) === 0) equal++;
  }
  // Four bits are equal by chance in one bin of 16.
  return Math.max(0, (equal / BINS - 1 / 16) / (15 / 16));
}

export const SHORT_SKETCH_BYTES = 16;

/** The two low bits of each bin: half the bytes, and about the same precision. */
export function shortSketch(sketch: Uint8Array): Uint8Array {
  const short = new Uint8Array(SHORT_SKETCH_BYTES);
  for (let at = 0; at < SKETCH_BYTES; at++) {
    const byte = sketch[at] as number;
    const bits = (byte & 0x03) | ((byte & 0x30) >>> 2);
    short[at >>> 1] = (short[at >>> 1] as number) | (bits << (4 * (at & 1)));
  }
  return short;
}

/** As {@link similarity}, for short sketches: the standard error is 0.05 for texts that are mostly alike. */
export function shortSimilarity(a: Uint8Array, b: Uint8Array): number {
  let equal = 0;
  for (let at = 0; at < SHORT_SKETCH_BYTES; at++) {
    const differ = (a[at] as number) ^ (b[at] as number);
    for (let bits = 0; bits < 8; bits += 2) if ((differ & (3 << bits)) === 0) equal++;
  }
  // Two bits are equal by chance in one bin of four.
  return Math.max(0, (equal / BINS - 1 / 4) / (3 / 4));
}
