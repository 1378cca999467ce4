/**
 * Tries every recipe of the sweep on small documents, and those that cost most or whose cost grows most on
 * larger ones. What is tried does not depend on chance, only which recipes continue does, by what they cost.
 */
import { recentSlowness } from './calibrate.ts';
import { type Figures, Finding, judge, sized } from './judge.ts';
import { measured } from './measure.ts';
import { fixedLength, inWords, type Recipe } from './recipe.ts';
import { type SweptRecipe, sweepRecipes } from './sweep-recipes.ts';
import type { FuzzTarget } from './target.ts';

/** Documents of a round have `bytes` and four times as many, beside what is not repeated. */
interface Round {
  readonly bytes: number;
  readonly runs: number;
  /** The number of recipes of each place that continue, by cost and by growth ... */
  readonly ofPlace: number;
  /** ... and of all places together. */
  readonly ofAll: number;
}

const ROUNDS: readonly Round[] = [
  { bytes: 512, runs: 1, ofPlace: 3, ofAll: 100 },
  { bytes: 4096, runs: 2, ofPlace: 1, ofAll: 20 },
];
/** If not all recipes are tried, fewer continue: a bug of a place is found by any of its recipes. */
const FEW: readonly Round[] = [
  { bytes: 512, runs: 1, ofPlace: 1, ofAll: 20 },
  { bytes: 4096, runs: 2, ofPlace: 0, ofAll: 8 },
];
/**
 * CPU in seconds for the sweep of one target: few need it all. The recipes that are left then are not tried.
 */
const SWEEP_SECONDS = 40;
/**
 * In a document of the last round a byte that takes this many times as long as it may is judged at once: other
 * recipes would show the same, and take minutes. Small documents say nothing: they cost something however small.
 */
const CLEARLY_SLOW = 5;
/** The number of recipes of the last round that are judged at all sizes, whatever the smaller ones cost. */
const AT_ALL_SIZES = 6;

/** Recipes in a row are alike, in groups: steps of a prime number meet all places of a group. */
const STEPS = [1, 2, 3, 5, 7, 11, 13, 17, 19];

interface Rated extends SweptRecipe {
  readonly index: number;
  /** CPU in microseconds of each byte, or of each byte more. */
  readonly cost: number;
  /** CPU at four times the bytes by CPU at the bytes. */
  readonly growth: number;
}

/** A finding of the sweep, with the place of its recipe in the list. */
export class SweepFinding extends Finding {
  readonly index: number;
  constructor(index: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.index = index;
  }
}

/**
 * Throws {@link SweepFinding}. `onRecipe` is called with each recipe before it is tried. With `most`, about that number of recipes are
 * tried, each nth of the list, and few of them on larger documents.
 */
export async function sweep(
  target: FuzzTarget,
  figures: Figures,
  {
    onRecipe,
    most = Number.POSITIVE_INFINITY,
  }: { onRecipe: (recipe: Recipe) => void; most?: number | undefined },
): Promise<void> {
  const all = sweepRecipes(target).map((each, index) => ({ ...each, ...{ index, cost: 0, growth: 0 } }));
  const least = all.length > 2 * most ? all.length / most : 1;
  const step = STEPS.find((each) => each >= least) ?? (STEPS.at(-1) as number);
  let rated: readonly Rated[] = all.filter(({ index }) => index % step === 0);
  const start = process.cpuUsage();
  const isOver = () => process.cpuUsage(start).user > SWEEP_SECONDS * 1e6;
  const rounds = most === Number.POSITIVE_INFINITY ? ROUNDS : FEW;
  for (const round of rounds) {
    const next: Rated[] = [];
    for (const each of rated) {
      if (isOver()) break;
      onRecipe(each.recipe);
      const tried = await orFinding(each.index, () => rate(target, each, round, figures));
      const isClear = tried.cost > CLEARLY_SLOW * target.maxUsPerByte * (await recentSlowness());
      if (round === rounds.at(-1) && isClear) await judgeSwept(target, tried, 4, figures);
      next.push(tried);
    }
    rated = worst(next, round);
  }
  const byCost = [...rated].sort((a, b) => b.cost - a.cost);
  for (const [rank, each] of byCost.entries()) {
    if (isOver()) break;
    onRecipe(each.recipe);
    await judgeSwept(target, each, rank < AT_ALL_SIZES ? 4 : 1, figures);
  }
}

const judgeSwept = (
  target: FuzzTarget,
  { recipe, index }: Rated,
  sizes: number,
  figures: Figures,
): Promise<void> => orFinding(index, () => judge(target, { ...recipe, sizes }, figures));

/** One recipe again, at all sizes. */
export async function sweepOne(target: FuzzTarget, index: number, figures: Figures): Promise<void> {
  const swept = sweepRecipes(target)[index];
  if (swept === undefined) throw new Error(`The sweep of ${target.name} has no recipe ${index}`);
  await orFinding(index, () => judge(target, { ...swept.recipe, sizes: 4 }, figures));
}

async function rate(
  target: FuzzTarget,
  each: Rated,
  { bytes, runs }: Round,
  figures: Figures,
): Promise<Rated> {
  const fixed = fixedLength(each.recipe);
  const less = await sized(target, each.recipe, fixed + bytes, figures);
  const more = await sized(target, each.recipe, fixed + 4 * bytes, figures);
  let [a, b] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < runs; run++) {
    a = Math.min(a, await cpuOf(target, each.recipe, less.input));
    b = Math.min(b, await cpuOf(target, each.recipe, more.input));
  }
  // Where a parser stops at some size, the smaller document may be the one that costs more.
  const cost = Math.max(a / (fixed + bytes), (b - a) / Math.max(1, more.bytes - less.bytes));
  return { ...each, cost, growth: b / Math.max(1, a) };
}

async function cpuOf(target: FuzzTarget, recipe: Recipe, input: Buffer): Promise<number> {
  const { cpu, error } = await measured(() => target.run(input));
  if (error === undefined || target.isDocumented?.(error)) return cpu;
  const shown = error instanceof Error ? error.stack : String(error);
  throw new Finding(`${target.name}: ${input.length} bytes: throws ${shown}: ${inWords(recipe)}`);
}

/** Those whose cost or growth is among the highest of all or of their place. */
function worst(rated: readonly Rated[], { ofPlace, ofAll }: Round): Rated[] {
  const kept = new Set<Rated>();
  for (const by of ['cost', 'growth'] as const) {
    const seen = new Map<string, number>();
    for (const [rank, each] of [...rated].sort((a, b) => b[by] - a[by]).entries()) {
      const before = seen.get(each.place) ?? 0;
      seen.set(each.place, before + 1);
      if (rank < ofAll || before < ofPlace) kept.add(each);
    }
  }
  return [...kept];
}

async function orFinding<T>(index: number, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Finding) throw new SweepFinding(index, error.message, { cause: error });
    throw error;
  }
}
