/** Runs of four words, hashed: to find a text again inside others. */
import { eachWord } from './text-measure.ts';

const RUN = 4;
const MAX_SHINGLES = 20_000;

export function shinglesOf(texts: readonly string[]): ReadonlySet<number> {
  const shingles = new Set<number>();
  for (const text of texts) eachShingle(text, (shingle) => void shingles.add(shingle));
  return shingles;
}

/** The share of the text's runs that are known; 0 for a text of less than four words. */
export function shareOf(text: string, known: ReadonlySet<number>): number {
  if (known.size === 0) return 0;
  let count = 0;
  let hits = 0;
  eachShingle(text, (shingle) => {
    count++;
    if (known.has(shingle)) hits++;
  });
  return count === 0 ? 0 : hits / count;
}

function eachShingle(text: string, use: (shingle: number) => void): void {
  let a = 0;
  let b = 0;
  let c = 0;
  let words = 0;
  eachWord(text.toLowerCase(), (d) => {
    if (++words >= RUN) use(mix(mix(mix(mix(0, a), b), c), d));
    a = b;
    b = c;
    c = d;
    return words - RUN + 1 < MAX_SHINGLES;
  });
}

const mix = (all: number, one: number): number => Math.imul(all ^ one, 0x9e3779b1);
