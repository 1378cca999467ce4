/**
 * `npm run simulate -- mutants`: whether the simulation catches bugs put in by hand. Each patch of `mutants/` is
 * applied to a copy of the program, whose simulation is then to break an invariant. Without a patch it is to hold,
 * which is looked at first.
 */
import { parseArgs } from 'node:util';
import { UsageError } from '../../cli/usage-error.ts';
import { createLimit } from '../../shared/create-limit.ts';
import { type Bench, createBench, mutantNames, patchFault, type Verdict } from './mutate-bench.ts';

/** Of the mutants so many are to be caught. */
const LEAST_SHARE = 0.95;
const DEFAULT_SEEDS = 300;
const DEFAULT_JOBS = 2;

const HELP = `Usage: npm run simulate -- mutants [--seeds N] [--only NAME,...] [--jobs J]

Puts each bug of test/sim/mutants/ into a copy of the program, and runs simulated worlds of it until one breaks an invariant.

  --seeds N    Worlds for each mutant, at most. Default ${DEFAULT_SEEDS}
  --only NAME  Those mutants alone
  --jobs J     Mutants side by side. Default ${DEFAULT_JOBS}

Exit codes: 0 at least ${LEAST_SHARE * 100} % are caught, 1 fewer are, 2 it could not be tried, 130 interrupted.
`;

export interface MutantsOptions {
  readonly seeds: number;
  /** Names; none: all. */
  readonly only: readonly string[];
  readonly jobs: number;
}

/** `args`: what follows the verb. Gives the exit code. Throws {@link UsageError}. */
export async function runMutants(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(HELP);
    return 0;
  }
  const options = readOptions(args);
  const names = namesOf(options);
  const faults = names.flatMap((name) => patchFault(name) ?? []);
  if (faults.length > 0) {
    process.stderr.write(`These patches do not fit the program any more:\n${faults.join('\n')}\n`);
    return 2;
  }
  const bench = createBench();
  const interrupt = () => {
    bench.close();
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  try {
    return await judgeAll(names, options, bench);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
    bench.close();
  }
}

export function readOptions(args: readonly string[]): MutantsOptions {
  const text = { type: 'string' } as const;
  const options = { seeds: text, only: { ...text, multiple: true }, jobs: text } as const;
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
  try {
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
  return {
    seeds: readCount('seeds', values.seeds, DEFAULT_SEEDS),
    only: (values.only ?? []).flatMap((names) => names.split(',')),
    jobs: readCount('jobs', values.jobs, DEFAULT_JOBS),
  };
}

function readCount(name: string, value: string | undefined, otherwise: number): number {
  const count = value === undefined ? otherwise : Number(value);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new UsageError(`Expected --${name} with a whole number, 1 or more, got ${value}`);
}

function namesOf({ only }: MutantsOptions): string[] {
  const all = mutantNames();
  for (const name of only)
    if (!all.includes(name)) throw new UsageError(`There is no mutant ${name}. There are: ${all.join(', ')}`);
  return only.length > 0 ? all.filter((name) => only.includes(name)) : all;
}

async function judgeAll(
  names: readonly string[],
  { seeds, jobs }: MutantsOptions,
  bench: Bench,
): Promise<number> {
  const begunAt = performance.now();
  const sound = await bench.judge(undefined, seeds);
  if (sound.kind !== 'survived') {
    print(`Without a mutant every invariant is to hold, but: ${resultOf(sound).join(' ')}`);
    return 2;
  }
  print(`Without a mutant every invariant holds in ${seeds} worlds (${secondsSince(begunAt)} s).`);

  const width = Math.max(...names.map((name) => name.length));
  const row = (...cells: readonly string[]) =>
    print(cells.map((cell, i) => cell.padEnd([width, 6, 7, 4][i] ?? 0)).join('  '));
  row('mutant', 'caught', 'seconds', 'seed', 'by');
  const inTurn = createLimit(jobs);
  const judged = names.map((name) =>
    inTurn(async () => {
      const begunAt = performance.now();
      const verdict = await bench.judge(name, seeds);
      return { name, verdict, seconds: secondsSince(begunAt) };
    }),
  );
  const missed: string[] = [];
  // In their order: a row waits for those above it.
  for (const judging of judged) {
    const { name, verdict, seconds } = await judging;
    if (verdict.kind !== 'caught') missed.push(name);
    const [caught, seed, why] = resultOf(verdict);
    row(name, caught, seconds, seed, why);
  }
  const share = 1 - missed.length / names.length;
  const rest = missed.length > 0 ? `; not: ${missed.join(', ')}` : '';
  print(
    `${names.length - missed.length} of ${names.length} mutants are caught, ${(share * 100).toFixed(1)} %${rest}`,
  );
  return share >= LEAST_SHARE ? 0 : 1;
}

/** Whether it was caught, at which seed, and by what, or why not. */
function resultOf(verdict: Verdict): [caught: string, seed: string, why: string] {
  if (verdict.kind === 'caught') {
    const where = verdict.faults === 'none' ? ' (without faults)' : '';
    return ['yes', String(verdict.seed), verdict.invariants.join(', ') + where];
  }
  if (verdict.kind === 'survived') return ['NO', '', 'every invariant held'];
  return ['BROKEN', '', verdict.why];
}

const print = (line: string): void => void process.stdout.write(`${line.trimEnd()}\n`);
const secondsSince = (ms: number): string => ((performance.now() - ms) / 1000).toFixed(1);
