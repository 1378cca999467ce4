/** The thread that fuzzes one target: see `fuzz-target.ts`. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import fc from 'fast-check';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { type Figures, judge, noFigures } from './judge.ts';
import { inWords, type Recipe, recipes } from './recipe.ts';
import { SweepFinding, sweep, sweepOne } from './sweep.ts';
import type { FuzzTarget } from './target.ts';

export interface ThreadTask {
  readonly target: string;
  /** Module that exports `TARGETS`: the list that has the target. */
  readonly module: string;
  /** Seconds of CPU. */
  readonly seconds: number;
  readonly seed: number;
  /** The path of an earlier finding with the same seed: only that is tried. */
  readonly path?: string | undefined;
  readonly shrinkMs?: number;
  /** About how many recipes the sweep tries. Default: all. */
  readonly sweptRecipes?: number;
}

export type FromThread =
  | { readonly document: string }
  | (Figures & { finding?: string; seed?: number; path?: string });

/** As many recipes are drawn of one seed; then the next seed's turn comes. */
const BATCH = 25;
/** How long a finding is made smaller, in ms, unless the task says so. */
const SHRINK_MS = 10_000;

async function fuzz(task: ThreadTask): Promise<FromThread> {
  const target = await load(task);
  const figures = noFigures();
  const seeds = (target.seeds ?? []).map((file) =>
    readFileSync(new URL(`./seeds/${file}`, import.meta.url)).toString(target.encoding ?? 'utf8'),
  );
  const onRecipe = (recipe: Recipe) =>
    parentPort?.postMessage({ document: inWords(recipe) } satisfies FromThread);
  let stopAt = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(recipes(target, seeds), async (recipe: Recipe) => {
    if (performance.now() > stopAt) return;
    onRecipe(recipe);
    try {
      await judge(target, recipe, figures);
    } catch (error) {
      stopAt = Math.min(stopAt, performance.now() + (task.shrinkMs ?? SHRINK_MS));
      throw error;
    }
  });
  const swept = /^sweep:(\d+)$/.exec(task.path ?? '')?.[1];
  try {
    if (swept !== undefined) await sweepOne(target, Number(swept), figures);
    else if (task.path === undefined && target.isSwept !== false)
      await sweep(target, figures, { onRecipe, most: task.sweptRecipes });
  } catch (error) {
    if (!(error instanceof SweepFinding)) throw error;
    return { ...figures, finding: error.message, seed: task.seed, path: `sweep:${error.index}` };
  }
  if (swept !== undefined) return figures;
  const before = process.cpuUsage();
  for (let { seed } = task; ; seed++) {
    // A replayed finding was made smaller before.
    const replay = task.path === undefined ? {} : { path: task.path, endOnFailure: true };
    const details = await fc.check(property, { seed, numRuns: BATCH, ...replay });
    const { errorInstance, counterexamplePath } = details;
    if (details.failed)
      return { ...figures, finding: messageOf(errorInstance), seed, path: counterexamplePath ?? '' };
    const { user, system } = process.cpuUsage(before);
    if (task.path !== undefined || user + system > task.seconds * 1e6) return figures;
  }
}

async function load({ target: name, module }: ThreadTask): Promise<FuzzTarget> {
  const { TARGETS } = (await import(module)) as { TARGETS: readonly FuzzTarget[] };
  const target = TARGETS.find((each) => each.name === name);
  if (target === undefined) throw new Error(`There is no target ${name}`);
  return target;
}

parentPort?.postMessage(await fuzz(workerData as ThreadTask));
