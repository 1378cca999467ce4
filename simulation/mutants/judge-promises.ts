/** Whether the worlds and tests that watch a promise notice the mutants that break it (`promised.ts`). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAULT_NAMES } from '../models/faults.ts';
import { applyEdits } from './edit.ts';
import { writeOverlay } from './overlay.ts';
import { editsOf, type PromiseMutant } from './promise-mutant.ts';
import { PROMISE_MUTANTS, promiseWorlds } from './promised.ts';
import { runTestFiles, runWorlds } from './run-tests.ts';
import { readSource } from './scope.ts';

/** As many seeds, each without faults and with all. */
const DEFAULT_SEEDS = 20;

export interface PromiseOptions {
  /** Parts of promises or of what is changed; none: all. */
  readonly match: readonly string[];
  /** Seeds at most. */
  readonly worlds?: number | undefined;
}

/** Judges one after the other, and prints a line for each. Returns how many nothing has noticed. */
export async function judgePromises(
  { match, worlds = DEFAULT_SEEDS }: PromiseOptions,
  print: (line: string) => void,
): Promise<number> {
  const isMatched = ({ promise, what }: PromiseMutant) =>
    match.length === 0 || match.some((text) => `${promise}: ${what}`.includes(text));
  let unnoticed = 0;
  for (const mutant of PROMISE_MUTANTS.filter(isMatched)) {
    const startedAt = performance.now();
    const by = await noticedBy(mutant, worlds);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    if (by === undefined) unnoticed++;
    print(`${mutant.promise}: ${mutant.what}\n  ${by ?? 'NOT NOTICED'} (${seconds} s)`);
  }
  return unnoticed;
}

async function noticedBy(mutant: PromiseMutant, seeds: number): Promise<string | undefined> {
  const { file, breaks, tests } = mutant;
  const folder = mkdtempSync(join(tmpdir(), 'strand-mutant-'));
  try {
    const source = readSource(file);
    writeOverlay(folder, [[file, applyEdits(source, editsOf(mutant, source))]]);
    const byTests = tests && (await testThatFails(folder, tests));
    return byTests ?? (breaks && (await worldThatBreaks(folder, mutant, seeds)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function testThatFails(folder: string, files: readonly string[]): Promise<string | undefined> {
  const run = await runTestFiles(folder, files, { stopsAtFirst: true });
  const failed = run.files.find(({ failure }) => failure);
  return failed && `noticed by ${failed.file}: ${failed.failure?.test}`;
}

/** A world that breaks other promises only does not count: it would not show that this one is watched. */
async function worldThatBreaks(
  folder: string,
  { breaks = [], worlds }: PromiseMutant,
  seeds: number,
): Promise<string | undefined> {
  const specs = promiseWorlds(seeds, FAULT_NAMES, { worlds });
  for (let done = 0; done < specs.length; ) {
    const { lines, end } = await runWorlds(folder, specs.slice(done));
    done += lines.length;
    const { spec, broken = [] } = lines.at(-1) ?? {};
    const found = breaks.filter((name) => broken.some(({ invariant }) => invariant === name));
    if (spec && found.length > 0)
      return `noticed by ${found.join(', ')} in world ${spec.seed} ${spec.faults.length > 0 ? 'with' : 'without'} faults, after ${done}`;
    // It ends after a world that breaks something, or in the one after the last line.
    if (end !== 'done' || lines.length === 0) done++;
  }
  return undefined;
}
