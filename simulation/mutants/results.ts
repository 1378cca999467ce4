/** The known results of mutants: those of earlier runs, and those that are judged to change nothing. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KEPT } from './coverage.ts';
import type { Mutant } from './mutants.ts';
import type { Verdict } from './verdict.ts';

/** A line of the file of results. Of a mutant judged twice the last line counts. */
export interface Result {
  readonly key: string;
  readonly id: string;
  readonly verdict: Verdict;
  readonly seconds: number;
}

/** A mutant that no test can notice, and why. It counts as long as its function is as it was. */
export interface Equivalent {
  readonly id: string;
  readonly key: string;
  readonly why: string;
}

const RESULTS = join(KEPT, 'results.jsonl');
export const EQUIVALENT = new URL('equivalent.json', import.meta.url);

export function loadResults(): Map<string, Result> {
  const lines = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8').split('\n').filter(Boolean) : [];
  return new Map(lines.map((line) => JSON.parse(line) as Result).map((result) => [result.key, result]));
}

export function keepResult(result: Result): void {
  mkdirSync(dirname(RESULTS), { recursive: true });
  appendFileSync(RESULTS, `${JSON.stringify(result)}\n`);
}

export const loadEquivalents = (): readonly Equivalent[] => JSON.parse(readFileSync(EQUIVALENT, 'utf8'));

/** Why each mutant changes nothing, for those that are judged so. */
export function equivalentsAmong(mutants: readonly Mutant[], known = loadEquivalents()): Map<Mutant, string> {
  const reasons = new Map(known.map(({ key, why }) => [key, why]));
  return new Map(
    mutants.flatMap((mutant) =>
      reasons.has(mutant.key) ? [[mutant, reasons.get(mutant.key) as string]] : [],
    ),
  );
}
