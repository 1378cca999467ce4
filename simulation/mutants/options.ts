/** The words of `npm run mutants`, read. */
import { parseArgs } from 'node:util';
import { UsageError } from '../../cli/usage-error.ts';

export interface MutantsOptions {
  /** Mutants drawn; none: all. */
  readonly sample?: number;
  readonly seed: number;
  /** Globs of files. */
  readonly only: readonly string[];
  /** Parts of ids. */
  readonly match: readonly string[];
  readonly verb: 'run' | 'list' | 'survivors' | 'measure' | 'promises' | 'help';
  readonly isResumed: boolean;
  readonly isRefetch: boolean;
  /** Judges by the tests of the mutant's own module alone. */
  readonly isOwnOnly: boolean;
  readonly jobs: number;
  readonly worlds: number;
  /** The same, if it was given. */
  readonly givenWorlds?: number;
  /** Seconds of tests and worlds for a mutant. */
  readonly effort: number;
  readonly minutes?: number;
}

export const LEAST_SHARE = 0.95;
const DEFAULT_JOBS = 2;
/** More than `npm run test:all` runs (simulation/test/command/simulate.slow.test.ts). */
export const DEFAULT_WORLDS = 500;
export const CALM_WORLDS = 40;
const DEFAULT_EFFORT = 120;

export const HELP = `Usage: npm run mutants -- [OPTIONS]

Changes the program in one place at a time (a mutant) and shows whether the tests notice it: first the tests of its own
module, then the other test files and the simulated worlds that run the changed statement, cheap ones first. Mutants
that only the linter or the compiler refuses do not count. Nothing is changed on the disk.

  --sample N     Draw N mutants, as many of each kind of bug. Default: all
  --seed N       What is drawn. Default 1
  --only GLOB    Mutants of these files alone; may be repeated
  --match TEXT   Mutants whose id contains this; may be repeated
  --resume       Keep the results of earlier runs for functions that have not changed since
  --again        With --resume: try those again that nothing noticed
  --own          Only run the tests of each mutant's own module: seconds a mutant, and no measurement
  --jobs N       Mutants side by side. Default ${DEFAULT_JOBS}
  --worlds N     Seeds 1 to N of the simulation. Default ${DEFAULT_WORLDS}
  --effort N     Seconds of tests and worlds that a mutant may take, cheap ones first. Default ${DEFAULT_EFFORT}
  --minutes N    Begin no mutant after that time; continue with --resume
  --list         Print the mutants, and run nothing
  --survivors    Print those that nothing noticed in earlier runs, and run nothing
  --measure      Only measure which test files and worlds run which statements
  --promises     Instead of mutants by chance, those that are made to break the promises of crawls that fetch pages again;
                 with --match TEXT and --worlds N (20) seeds, each with and without faults

Exit codes: 0 at least ${LEAST_SHARE * 100} % are noticed, 1 fewer are, 2 it could not be tried, 130 interrupted.
`;

/** Throws {@link UsageError}. */
export function readOptions(args: readonly string[]): MutantsOptions {
  const text = { type: 'string' } as const;
  const list = { ...text, multiple: true } as const;
  const flag = { type: 'boolean' } as const;
  const options = {
    ...{
      sample: text,
      seed: text,
      only: list,
      match: list,
      jobs: text,
      worlds: text,
      effort: text,
      minutes: text,
    },
    ...{
      resume: flag,
      again: flag,
      own: flag,
      list: flag,
      survivors: flag,
      measure: flag,
      promises: flag,
      help: flag,
    },
  } as const;
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
  try {
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
  const verb =
    (['help', 'list', 'survivors', 'measure', 'promises'] as const).find((name) => values[name]) ?? 'run';
  return {
    verb,
    ...(values.sample !== undefined && { sample: readCount('sample', values.sample) }),
    seed: values.seed === undefined ? 1 : readCount('seed', values.seed),
    only: values.only ?? [],
    match: values.match ?? [],
    isResumed: values.resume === true,
    isRefetch: values.again === true,
    isOwnOnly: values.own === true,
    jobs: values.jobs === undefined ? DEFAULT_JOBS : readCount('jobs', values.jobs),
    worlds: values.worlds === undefined ? DEFAULT_WORLDS : readCount('worlds', values.worlds),
    ...(values.worlds !== undefined && { givenWorlds: readCount('worlds', values.worlds) }),
    effort: values.effort === undefined ? DEFAULT_EFFORT : readCount('effort', values.effort),
    ...(values.minutes !== undefined && { minutes: readCount('minutes', values.minutes) }),
  };
}

function readCount(name: string, value: string): number {
  const count = Number(value);
  if (value.trim() !== '' && Number.isSafeInteger(count) && count >= 1) return count;
  throw new UsageError(`Expected --${name} with a whole number, 1 or more, got ${JSON.stringify(value)}`);
}
