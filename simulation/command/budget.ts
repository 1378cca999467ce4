/**
 * Worlds for a given time: first all of the corpus that have not held on this state of the code yet, then as
 * many new seeds as fit.
 */
import { formatCount, formatCounted } from '../../cli/format.ts';
import type { Outcome, WorldSpec } from '../worlds/spec.ts';
import type { CorpusEntry } from './corpus.ts';
import { addRun, type LedgerSum, stateOf, sumOf } from './ledger.ts';
import type { Seeds } from './run-seeds.ts';

export interface BudgetOptions {
  readonly spec: WorldSpec;
  readonly budgetMs: number;
  /**
   * The first new seed. Default: behind the last run on this state of the code, or by chance where there was
   * none.
   */
  readonly from?: number;
  readonly corpus: readonly CorpusEntry[];
  /** Where runs are noted. */
  readonly ledger: string;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
  readonly random?: () => number;
}

export interface Budget extends Required<Pick<Seeds, 'count' | 'specAt' | 'mayBegin'>> {
  /** The plan of the run, for people. */
  readonly plan: string;
  /** Takes each outcome, in any order. */
  take(outcome: Outcome): void;
  /**
   * Notes the new seeds that ran, up to the first that did not. Returns the sum on this state of the code.
   */
  end(): BudgetSum;
}

export interface BudgetSum extends LedgerSum {
  readonly state: string;
  /** The new seeds of this run. */
  readonly from: number;
  readonly count: number;
  /** Today, as `2026-11-22`. */
  readonly day: string;
}

/** Random starts are below this: seeds that can be typed, and seldom meet those of another run. */
const MAX_START = 1e9;

export function planBudget(options: BudgetOptions): Budget {
  const { spec, budgetMs, ledger, now = () => performance.now(), random = Math.random } = options;
  const state = stateOf(spec);
  const before = sumOf(ledger, state);
  const corpus = options.corpus.filter(({ seed }) => !before.corpus.includes(seed));
  const from = options.from ?? before.next ?? Math.floor(random() * MAX_START);
  const startedAt = now();
  const done = new Set<number>();
  const broken = new Set<number>();
  const earlier = before.worlds > 0 ? `, on which ${formatCounted(before.worlds, 'world')} ran before` : '';

  return {
    count: Number.POSITIVE_INFINITY,
    plan: `${formatCounted(corpus.length, 'world')} of the corpus, then new seeds from ${from} on (state ${state} of the code${earlier})`,
    specAt: (index) => ({ ...spec, seed: corpus[index]?.seed ?? from + index - corpus.length }),
    mayBegin: (index) => index < corpus.length || now() - startedAt < budgetMs,
    take({ spec: { seed }, violations }) {
      done.add(seed);
      if (violations.length > 0) broken.add(seed);
    },
    end() {
      let count = 0;
      while (done.has(from + count)) count++;
      const held = corpus.map(({ seed }) => seed).filter((seed) => done.has(seed) && !broken.has(seed));
      const inRange = [...broken].filter((seed) => seed >= from && seed < from + count);
      const endedAt = new Date().toISOString();
      if (count + held.length > 0)
        addRun(ledger, {
          state,
          from,
          count,
          broken: inRange,
          corpus: held,
          ms: Math.round(now() - startedAt),
          endedAt,
        });
      return { ...sumOf(ledger, state), state, from, count, day: endedAt.slice(0, 10) };
    },
  };
}

/** The last line of a run by budget. */
export function sumText({ state, from, count, runs, worlds, broken }: BudgetSum): string {
  const range = count === 0 ? 'no new seed' : `new seeds ${from} to ${from + count - 1}`;
  const found = broken.length === 0 ? 'all held' : `${formatCount(broken.length)} broke an invariant`;
  return `Ran ${range}. On state ${state} of the code: ${formatCounted(worlds, 'world')} in ${formatCounted(runs, 'run')}, ${found}`;
}
