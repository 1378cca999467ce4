/**
 * The command `npm run mutants`: whether the tests notice small changes of the program. `--help` says all.
 */
import { UsageError } from '../../cli/usage-error.ts';
import { createLimit } from '../../shared/core/base/create-limit.ts';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { type CoverageMap, measure } from './coverage.ts';
import { judge } from './judge.ts';
import { judgePromises } from './judge-promises.ts';
import { type Mutant, mutantsOfAll } from './mutants.ts';
import { ownTestsOf } from './one-process/importers.ts';
import { judgeInProcess } from './one-process/judge-in-process.ts';
import { createTestRunner, type TestRunner, type TestTimes } from './one-process/test-runner.ts';
import { CALM_WORLDS, HELP, LEAST_SHARE, type MutantsOptions, readOptions } from './options.ts';
import { refusalsOf } from './refusals.ts';
import { describeMutant, type Judged, report, scoreOf } from './report.ts';
import { equivalentsAmong, keepResult, loadResults } from './results.ts';
import { endAll } from './run-tests.ts';
import { sample } from './sample.ts';
import { mutatedFiles } from './scope.ts';
import type { Verdict } from './verdict.ts';

/** The longest CPU time for the tests of a module together, without a mutant. */
const OWN_TESTS_MS = 10_000;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(options: MutantsOptions): Promise<number> {
  if (options.verb === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  if (options.verb === 'promises') {
    const { match, givenWorlds } = options;
    return (await judgePromises({ match, worlds: givenWorlds }, print)) > 0 ? 1 : 0;
  }
  const chosen = chosenMutants(options);
  if (options.verb === 'list') {
    for (const mutant of chosen) print(mutant.id);
    return 0;
  }
  if (options.verb === 'survivors') {
    const judged = judgedBefore(chosen, false).filter(({ verdict }) => verdict.kind === 'survived');
    for (const one of judged) print(`${describeMutant(one)}\n`);
    return 0;
  }
  const measured = () =>
    measure({ worlds: options.worlds, calmWorlds: CALM_WORLDS, workers: options.jobs }, print);
  if (options.verb === 'measure') {
    await measured();
    return 0;
  }
  const judged = await judgeAll(chosen, options, measured);
  for (const one of judged) if (one.verdict.kind === 'survived') print(`\n${describeMutant(one)}`);
  print(`\n${report(judged)}`);
  if (judged.length < chosen.length)
    print(`${chosen.length - judged.length} are not judged yet: continue with --resume`);
  return scoreOf(judged).share >= LEAST_SHARE ? 0 : 1;
}

/**
 * Judges mutants: all by the tests of their own modules, then those that nothing has noticed by `npm run
 * check`, then the rest by whatever else runs them. Without those for which there was no time.
 */
async function judgeAll(
  chosen: readonly Mutant[],
  options: MutantsOptions,
  measured: () => Promise<CoverageMap>,
): Promise<Judged[]> {
  const known = options.isResumed ? judgedBefore(chosen, options.isRefetch) : [];
  const judged = new Map<Mutant, Judged>(known.map((one) => [one.mutant, one]));
  const unknown = () => chosen.filter((mutant) => !judged.has(mutant));
  const equivalents = equivalentsAmong(chosen);
  const take = (mutant: Mutant, verdict: Verdict, startedAt: number) => {
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const { kind } = verdict;
    // Other tests may notice it yet.
    if (!options.isOwnOnly || kind !== 'survived')
      keepResult({ key: mutant.key, id: mutant.id, verdict, seconds });
    const equivalent = equivalents.get(mutant);
    judged.set(mutant, { mutant, verdict, ...(equivalent !== undefined && { equivalent }) });
    const what = kind === 'survived' ? 'SURVIVED' : `${kind} by ${verdict.stage}: ${verdict.by}`;
    print(`${String(judged.size).padStart(4)}/${chosen.length} ${mutant.id}  ${what} (${seconds} s)`);
  };

  const beganAt = performance.now();
  const isLate = () =>
    options.minutes !== undefined && performance.now() - beganAt > options.minutes * 60_000;
  const inTurn = createLimit(options.jobs);
  const times: TestTimes = new Map();
  const runners = Array.from({ length: options.jobs }, () => createTestRunner(times, print));
  const forEach = (job: (mutant: Mutant, runner: TestRunner) => Promise<void>) =>
    Promise.all(
      unknown().map((mutant) =>
        inTurn(async () => {
          if (isLate()) return;
          const runner = runners.pop() as TestRunner;
          await job(mutant, runner).finally(() => runners.push(runner));
        }),
      ),
    );

  try {
    const passed = new Map<Mutant, readonly string[]>();
    await forEach(async (mutant, runner) => {
      const startedAt = performance.now();
      const own = await judgeInProcess(runner, mutant, ownTestsOf(mutant.file), OWN_TESTS_MS);
      if (own.verdict) take(mutant, own.verdict, startedAt);
      else passed.set(mutant, own.passed);
    });
    const passedBy = (mutant: Mutant) => passed.get(mutant) ?? [];
    const unchecked = unknown().filter((mutant) => passed.has(mutant));
    if (options.isOwnOnly) {
      for (const mutant of unchecked)
        take(mutant, { kind: 'survived', testFiles: passedBy(mutant).length, worlds: 0 }, performance.now());
      return [...judged.values()];
    }
    for (const [mutant, { by, why }] of await refusalsOf(unchecked))
      take(mutant, { kind: 'killed', stage: 'check', by, why }, performance.now());
    if (unknown().length === 0) return [...judged.values()];
    const map = await measured();
    const effort = { worlds: options.worlds, calmWorlds: CALM_WORLDS, effortMs: options.effort * 1000 };
    await forEach(async (mutant, runner) => {
      const startedAt = performance.now();
      take(mutant, await judge(mutant, { map, runner, passed: passedBy(mutant) }, effort), startedAt);
    });
    return [...judged.values()];
  } finally {
    for (const runner of runners) runner.close();
  }
}

function chosenMutants({ only, match, sample: count, seed }: MutantsOptions): Mutant[] {
  const isMatched = ({ id }: Mutant) => match.length === 0 || match.some((text) => id.includes(text));
  const all = mutantsOfAll(mutatedFiles(only)).filter(isMatched);
  if (all.length === 0) throw new UsageError('No mutant is of such a file, or has such an id');
  return count === undefined ? all : sample(all, count, seed);
}

/** Returns the results of earlier runs for mutants whose functions are as they were. */
function judgedBefore(mutants: readonly Mutant[], isRefetch: boolean): Judged[] {
  const results = loadResults();
  const equivalents = equivalentsAmong(mutants);
  return mutants.flatMap((mutant) => {
    const verdict = results.get(mutant.key)?.verdict;
    if (!verdict) return [];
    const equivalent = equivalents.get(mutant);
    if (isRefetch && verdict.kind === 'survived' && equivalent === undefined) return [];
    return [{ mutant, verdict, ...(equivalent !== undefined && { equivalent }) }];
  });
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endAll();
    process.exit(130);
  });
}
try {
  process.exitCode = await main(readOptions(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(
    `mutants: ${error instanceof UsageError ? error.message : ((error as Error).stack ?? messageOf(error))}\n`,
  );
  process.exitCode = 2;
} finally {
  endAll();
}
