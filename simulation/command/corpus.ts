/** The seeds that broke an invariant before: `--budget` runs their worlds first. */
import { readFileSync } from 'node:fs';
import type { Violation } from '../worlds/spec.ts';

export interface CorpusEntry {
  readonly seed: number;
  /** The day on which it broke, as `2026-11-22`. */
  readonly date: string;
  /** The broken invariant, or the bug behind it, in one line. */
  readonly found: string;
}

export const CORPUS_PATH = 'simulation/command/corpus.json';
const CORPUS = new URL('./corpus.json', import.meta.url);

/** The entries of the file, in its order. Throws for an entry that is not as described. */
export function readCorpus(text = readFileSync(CORPUS, 'utf8')): readonly CorpusEntry[] {
  const entries: readonly CorpusEntry[] = JSON.parse(text);
  const seeds = new Set<number>();
  for (const entry of entries) {
    const { seed, date, found } = entry;
    const isRight =
      Number.isSafeInteger(seed) && seed >= 0 && /^\d{4}-\d\d-\d\d$/.test(date) && found?.length > 0;
    if (!isRight)
      throw new Error(
        `Expected entries {"seed": N, "date": "YYYY-MM-DD", "found": "..."} in ${CORPUS_PATH}, got ${JSON.stringify(entry)}`,
      );
    if (seeds.has(seed)) throw new Error(`Seed ${seed} is in ${CORPUS_PATH} twice`);
    seeds.add(seed);
  }
  return entries;
}

/** The entry for a seed that broke something today, to be copied into the file. */
export function corpusLine(seed: number, { invariant, message }: Violation, today: string): string {
  const entry: CorpusEntry = { seed, date: today, found: `${invariant}: ${message}` };
  return JSON.stringify(entry);
}
