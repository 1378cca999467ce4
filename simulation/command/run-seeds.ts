import type { Outcome, WorldSpec } from '../worlds/spec.ts';
import type { RunWorld } from './serve.ts';

export interface Seeds {
  /** The first one; the others differ in their seeds, which follow it. */
  readonly spec: WorldSpec;
  /** The world of that number, from 0, where worlds differ in something else. */
  readonly specAt?: (index: number) => WorldSpec;
  readonly count: number;
  /** Asked before each world. Default: yes. */
  readonly mayBegin?: (index: number) => boolean;
  /** Worlds that run side by side. */
  readonly jobs: number;
}

/**
 * Runs the worlds and gives each outcome to `take` as it comes, which says whether to begin more. What was
 * begun is waited for, so that no lower seed than the last one goes unsaid.
 */
export async function runSeeds(
  {
    spec,
    count,
    jobs,
    mayBegin = () => true,
    specAt = (index) => ({ ...spec, seed: spec.seed + index }),
  }: Seeds,
  run: RunWorld,
  take: (outcome: Outcome) => boolean,
): Promise<void> {
  let begun = 0;
  let isOver = false;
  async function lane(): Promise<void> {
    while (!isOver && begun < count && mayBegin(begun)) {
      try {
        if (!take(await run(specAt(begun++)))) isOver = true;
      } catch (error) {
        isOver = true;
        throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(jobs, count) }, lane));
}
