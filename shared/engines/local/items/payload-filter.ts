/**
 * Says of most payloads, without a look into the database, that they are not in it: a Bloom filter of digests in memory
 * that all threads share. Complete from the crawl's beginning on.
 */
export interface PayloadFilter {
  /** False: `add` was never called with the digest. */
  mayHave(sha1: Uint8Array): boolean;
  add(sha1: Uint8Array): void;
}

/** 2^25 bits: with a million payloads one look in 300 is in vain, with ten million one in five. */
const WORDS = 2 ** 20;
const WORD_BITS = 5;

/** Memory for {@link createPayloadFilter}, 4 MB of which the system gives what is written to. A power of two of words. */
export const payloadFilterMemory = (words = WORDS): Int32Array =>
  new Int32Array(new SharedArrayBuffer(words * Int32Array.BYTES_PER_ELEMENT));

export function createPayloadFilter(memory: Int32Array): PayloadFilter {
  const mask = memory.length - 1;
  /** A digest's bits are as good as random: two parts of it name two bits. */
  const nameAt = (sha1: Uint8Array, at: number): number =>
    sha1[at]! | (sha1[at + 1]! << 8) | (sha1[at + 2]! << 16) | (sha1[at + 3]! << 24);
  const has = (name: number): boolean =>
    (Atomics.load(memory, (name >>> WORD_BITS) & mask) & (1 << name)) !== 0;
  const set = (name: number) => Atomics.or(memory, (name >>> WORD_BITS) & mask, 1 << name);
  return {
    mayHave: (sha1) => has(nameAt(sha1, 0)) && has(nameAt(sha1, 4)),
    add(sha1) {
      set(nameAt(sha1, 0));
      set(nameAt(sha1, 4));
    },
  };
}
