/** The project's `onFinish` in worlds that have one. */
import type { StrandConfig } from '../../shared/services/project/project.ts';
import type { SimProcess } from '../models/process.ts';
import { between, randomOf } from '../models/random.ts';
import type { FinishCall } from './spec.ts';

/** The key of the number of calls, in the state of the hooks. */
export const SIM_FINISHES = 'finishes';

/** Chances of a call: it takes long, it fails, it changes the state. */
const IS_SLOW = 0.5;
const FAILS = 0.2;
const CHANGES_STATE = 0.7;
const MAX_SLOW_MS = 8000;

export interface SimFinish {
  /** All calls that were begun, also those whose process died in them. */
  readonly calls: readonly FinishCall[];
  of(process: Pick<SimProcess, 'clock'>): NonNullable<StrandConfig['onFinish']>;
}

/** `now`: the world's time; clocks of processes differ from it. */
export function createSimFinish(seed: number, now: () => number): SimFinish {
  const calls: FinishCall[] = [];
  const random = randomOf(seed, 'calls of onFinish');
  return {
    calls,
    of:
      ({ clock }) =>
      async ({ crawl }, { state }) => {
        calls.push({ at: now(), crawl });
        if (random() < CHANGES_STATE) state.update<number>(SIM_FINISHES, (before = 0) => before + 1);
        if (random() < IS_SLOW) await clock.sleep(between(random, 1, MAX_SLOW_MS));
        if (random() < FAILS) throw new Error('onFinish failed');
      },
  };
}
