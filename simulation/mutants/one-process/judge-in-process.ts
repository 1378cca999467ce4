/** The first stage of judging a mutant: a process that stays runs test files against it. */
import { applyEdits } from '../edit.ts';
import type { Mutant } from '../mutants.ts';
import { readSource } from '../scope.ts';
import { type Stage, stageOf, type Verdict } from '../verdict.ts';
import type { TestRunner } from './test-runner.ts';

export interface InProcess {
  /** None: nothing has noticed the mutant so far. */
  readonly verdict?: Verdict;
  /** The test files that have run and passed. */
  readonly passed: readonly string[];
}

/**
 * Runs the test files that pass in such a process without a mutant, the cheapest first, and no longer than
 * `maxMs` by the CPU time that they take without one.
 */
export async function judgeInProcess(
  runner: TestRunner,
  mutant: Mutant,
  files: readonly string[],
  maxMs: number,
): Promise<InProcess> {
  const tests = await cheapest(runner, files, maxMs);
  if (tests.length === 0) return { passed: [] };
  const source = applyEdits(readSource(mutant.file), mutant.edits);
  const finding = await runner.run({ file: mutant.file, source, tests });
  if (finding.kind === 'passed') return { passed: tests };
  if (finding.kind === 'unfit') return { passed: [] };
  const { file, test, why } = finding;
  const stage: Stage = stageOf(file);
  const kind = finding.kind === 'hung' ? 'hung' : 'killed';
  return { passed: [], verdict: { kind, stage, by: `${file}: ${test}`, why } };
}

async function cheapest(runner: TestRunner, files: readonly string[], maxMs: number): Promise<string[]> {
  const timed: { file: string; ms: number }[] = [];
  for (const file of files) {
    const ms = await runner.timeOf(file);
    if (ms !== undefined) timed.push({ file, ms });
  }
  let sum = 0;
  return timed
    .sort((a, b) => a.ms - b.ms)
    .filter(({ ms }) => {
      sum += ms;
      return sum <= maxMs;
    })
    .map(({ file }) => file);
}
