/** `npm run simulate`: many worlds, what they came to, and small worlds that break the same. */
import type { LiveStream, TerminalEnvironment } from '../../cli/drawn-line.ts';
import { terminalOf } from '../../cli/drawn-line.ts';
import { printable, shorten } from '../../shared/core/text/printable.ts';
import { breaksSame, shrink } from '../worlds/shrink.ts';
import type { Violation, WorldSpec } from '../worlds/spec.ts';
import { struckWorlds } from '../worlds/systematic.ts';
import { type Budget, planBudget } from './budget.ts';
import { readCorpus } from './corpus.ts';
import type { SeedsCommand } from './options.ts';
import { NO_PROGRESS, type Progress, startProgress } from './progress.ts';
import { type Finding, reportJson, reportText } from './report.ts';
import { runSeeds, type Seeds } from './run-seeds.ts';
import type { RunWorld } from './serve.ts';
import { type Broken, createTally, firstViolation } from './tally.ts';

export interface Streams {
  readonly out: LiveStream;
  readonly err: LiveStream;
  readonly environment: TerminalEnvironment;
}

export const exitCodes = { held: 0, broken: 1, couldNotRun: 2, interrupted: 130 } as const;

/** Seeds that are shrunk, and reported while others run. */
const MAX_SHRUNK = 3;
const MAX_SHOWN = 10;

/** Returns the exit code. `signal` ends it with what is known then. */
export async function simulateSeeds(
  command: SeedsCommand,
  run: RunWorld,
  { out, err, environment }: Streams,
  signal: AbortSignal,
): Promise<number> {
  const { spec, stopsAtFirst, quiet, json, jobs } = command;
  const tally = createTally();
  const budget = budgetOf(command);
  const worlds = budget ?? (await worldsOf(command, run));
  const { count } = worlds;
  const startedAt = performance.now();
  const progress = quiet
    ? NO_PROGRESS
    : startProgress(tally.now, { worlds: count, ms: command.budget?.ms }, err, environment);
  if (budget) progress.log(budget.plan);
  let shown = 0;
  try {
    await unlessAborted(
      signal,
      runSeeds({ spec, jobs, ...worlds }, run, (outcome) => {
        tally.add(outcome);
        budget?.take(outcome);
        const first = firstViolation(outcome.violations);
        if (first && shown++ < MAX_SHOWN) progress.log(foundLine(outcome.spec.seed, first));
        return !signal.aborted && !(stopsAtFirst && first);
      }),
    );
    const ms = performance.now() - startedAt;
    const sum = budget?.end();
    const { broken } = tally.now();
    const findings =
      command.isShrunk && !signal.aborted
        ? await unlessAborted(signal, shrinkFirst(broken, run, progress), broken)
        : broken;
    progress.done();
    const counted = tally.now();
    const left = budget ? 0 : count - counted.worlds;
    const ran = { tally: counted, findings, faults: spec.faults, ms, left, sum };
    out.write(`${json ? reportJson(ran) : reportText(ran, terminalOf(out, environment).colour)}\n`);
    if (findings.length > 0) return exitCodes.broken;
    return signal.aborted ? exitCodes.interrupted : exitCodes.held;
  } finally {
    progress.done();
  }
}

function budgetOf({ spec, budget }: SeedsCommand): Budget | undefined {
  if (!budget) return undefined;
  const { ms, from, ledger } = budget;
  return planBudget({ spec, budgetMs: ms, from, ledger, corpus: readCorpus() });
}

/** The worlds that the command asks for: those of its seeds, or of each seed those with one struck call. */
async function worldsOf(
  { spec, count, struckActors }: SeedsCommand,
  run: RunWorld,
): Promise<Pick<Seeds, 'count' | 'specAt'>> {
  if (!struckActors) return { count };
  const worlds: WorldSpec[] = [];
  for (let index = 0; index < count; index++)
    worlds.push(...(await struckWorlds({ ...spec, seed: spec.seed + index }, run, struckActors)));
  return { count: worlds.length, specAt: (index) => worlds[index] as WorldSpec };
}

const foundLine = (seed: number, { invariant, message }: Violation): string =>
  shorten(`Seed ${seed} broke ${invariant}: ${printable(message)}`, 200);

async function shrinkFirst(broken: readonly Broken[], run: RunWorld, progress: Progress): Promise<Finding[]> {
  if (broken.length > 0) progress.log('Looking for the smallest worlds that break the same ...');
  const chosen = new Set(differentFirst(broken).slice(0, MAX_SHRUNK));
  return Promise.all(broken.map((finding) => (chosen.has(finding) ? shrinkFinding(finding, run) : finding)));
}

/** One of each invariant that was broken first, then the others. */
function differentFirst(broken: readonly Broken[]): readonly Broken[] {
  const invariantOf = ({ violations }: Broken) => firstViolation(violations)?.invariant;
  const firsts = new Map(broken.toReversed().map((finding) => [invariantOf(finding), finding]));
  const isFirst = (finding: Broken) => firsts.get(invariantOf(finding)) === finding;
  return [...broken.filter(isFirst), ...broken.filter((finding) => !isFirst(finding))];
}

export async function shrinkFinding(finding: Broken, run: RunWorld): Promise<Finding> {
  const first = firstViolation(finding.violations);
  if (!first) return finding;
  const smaller = await shrink(finding.spec, (spec) => run(spec), breaksSame(first.invariant));
  return { ...finding, shrunk: smaller ?? 'unrepeatable' };
}

/** Returns the result of the promise, or `otherwise` from the moment of the abort on. */
function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T | undefined>;
function unlessAborted<T, U>(signal: AbortSignal, promise: Promise<T>, otherwise: U): Promise<T | U>;
function unlessAborted<T, U>(
  signal: AbortSignal,
  promise: Promise<T>,
  otherwise?: U,
): Promise<T | U | undefined> {
  const aborted = new Promise<U | undefined>((resolve) => {
    if (signal.aborted) resolve(otherwise);
    signal.addEventListener('abort', () => resolve(otherwise), { once: true });
  });
  return Promise.race([promise, aborted]);
}
