/**
 * `npm run simulate -- coverage`: which code of the core, the engine `aws` and the functions the worlds
 * reach. What no world reaches no invariant can judge.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { UsageError } from '../../cli/usage-error.ts';
import { readFaults, readNumber } from '../command/options.ts';
import { createPool } from '../command/pool.ts';
import { runSeeds } from '../command/run-seeds.ts';
import type { WorldSpec } from '../worlds/spec.ts';
import { coveredFiles, ROOT } from './covered-files.ts';
import { reportJson, reportText } from './report.ts';
import { coverageOf, needless, readAccepted } from './unreached.ts';

const DEFAULT_SEEDS = 300;

const HELP = `Usage: npm run simulate -- coverage [--seed N] [--seeds COUNT] [--faults NAMES] [--jobs J] [--json]

Runs worlds and prints for each file how much of the core, the engine aws and the functions they execute. Then it prints
each range that no world executes, unless simulation/coverage/unreached.json gives a reason. Code that runs only while a
world is checked does not count.

  --seed N        Seed of the first world. Default 1
  --seeds COUNT   Number of worlds. Default ${DEFAULT_SEEDS}
  --faults NAMES  Faults that may strike, as in the main command. Default all
  --jobs J        Number of processes. Default: the number of cores
  --json          Print all figures as one line of JSON

Exit codes: 0 every range is reached or has a reason, 1 some range is not, 2 could not run.
`;

export interface CoverageOptions {
  readonly spec: WorldSpec;
  readonly count: number;
  readonly jobs: number;
  readonly json: boolean;
}

/**
 * `args`: what follows the verb; `program`: what runs worlds. Returns the exit code. Throws {@link
 * UsageError}.
 */
export async function runCoverage(args: readonly string[], program: string): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(HELP);
    return 0;
  }
  const { spec, count, jobs, json } = readCoverageOptions(args);
  const pool = createPool({ program, args: ['--worker', '--coverage'], jobs: Math.min(jobs, count) });
  const reached = new Map<string, Set<number>>();
  const broken: number[] = [];
  try {
    await runSeeds({ spec, count, jobs }, pool.run, (outcome) => {
      for (const [file, blocks] of Object.entries(outcome.reached ?? {}))
        reached.set(file, new Set([...(reached.get(file) ?? []), ...blocks]));
      if (outcome.violations.length > 0) broken.push(outcome.spec.seed);
      return true;
    });
  } finally {
    pool.close();
  }
  const accepted = readAccepted();
  const reasons = new Map(
    Object.entries(accepted).flatMap(([reason, names]) => names.map((name) => [name, reason] as const)),
  );
  const files = coveredFiles().map((file) =>
    coverageOf(file, readFileSync(new URL(file, ROOT), 'utf8'), reached.get(file), (name) =>
      reasons.get(name),
    ),
  );
  const report = { worlds: count, broken, files, needless: needless(accepted, files) };
  process.stdout.write(`${json ? reportJson(report) : reportText(report)}\n`);
  return files.some(({ unreached }) => unreached.some(({ reason }) => reason === undefined)) ? 1 : 0;
}

export function readCoverageOptions(args: readonly string[]): CoverageOptions {
  const text = { type: 'string' } as const;
  const options = { seed: text, seeds: text, faults: text, jobs: text, json: { type: 'boolean' } } as const;
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
  try {
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
  return {
    spec: { seed: readNumber('seed', values.seed, 0) ?? 1, faults: readFaults(values.faults ?? 'all') },
    count: readNumber('seeds', values.seeds, 1) ?? DEFAULT_SEEDS,
    jobs: readNumber('jobs', values.jobs, 1) ?? availableParallelism(),
    json: values.json === true,
  };
}
