/** Runs of four words, hashed: to find a text again inside others. */
import type { HashedWords } from './blocks.ts';
import { WordHashes } from './text-measure.ts';

const RUN = 4;
const MAX_SHINGLES = 20_000;
const FILTER_BITS = 1 << 15;

export class Shingles {
  readonly #known = new Set<number>();
  /** A byte for the low bits of each: most runs of a page are not known, which one look shows. */
  readonly #filter = new Uint8Array(FILTER_BITS);

  constructor(texts: readonly string[]) {
    const words = new WordHashes();
    for (const text of texts) {
      const from = words.count;
      words.read(text);
      eachShingle({ all: words, from, end: words.count }, (shingle) => {
        this.#known.add(shingle);
        this.#filter[shingle & (FILTER_BITS - 1)] = 1;
        return false;
      });
    }
  }

  get size(): number {
    return this.#known.size;
  }

  /** The share of the text's runs that are known; 0 for a text of less than four words. */
  shareOf(words: HashedWords): number {
    if (this.#known.size === 0) return 0;
    const filter = this.#filter;
    const hits = eachShingle(
      words,
      (shingle) => filter[shingle & (FILTER_BITS - 1)] === 1 && this.#known.has(shingle),
    );
    const count = Math.min(MAX_SHINGLES, words.end - words.from - RUN + 1);
    return count <= 0 ? 0 : hits / count;
  }
}

/** Returns for how many runs `use` has returned true. */
function eachShingle(words: HashedWords, use: (shingle: number) => boolean): number {
  const { hashes } = words.all;
  const end = Math.min(words.end, words.from + MAX_SHINGLES + RUN - 1);
  let found = 0;
  for (let i = words.from + RUN - 1; i < end; i++) {
    const shingle = mix(mix(mix(mix(0, hashes[i - 3]!), hashes[i - 2]!), hashes[i - 1]!), hashes[i]!);
    if (use(shingle)) found++;
  }
  return found;
}

const mix = (all: number, one: number): number => Math.imul(all ^ one, 0x9e3779b1);
