/** Worlds whose processes fail at random places: seeds replay exactly. */
import { expect } from 'vitest';
import type { Engine } from '../../../shared/crawler/ports/engine.ts';
import { seededRandom } from './fake-clock.ts';
import { type Fault, withFault } from './faults.ts';
import { areQuiet, type Process, type World } from './world.ts';

/** Returns an integer from 0 to before `n`. */
export type UpTo = (n: number) => number;

/** Crawls once with each of the seeds from 1 to `worlds`. */
export async function inRandomWorlds(worlds: number, crawl: (upTo: UpTo) => Promise<void>): Promise<void> {
  const failures: string[] = [];
  for (let seed = 1; seed <= worlds; seed++) {
    const random = seededRandom(seed);
    await crawl((n) => Math.floor(random() * n)).catch((error: Error) =>
      failures.push(`seed ${seed}: ${error.message}`),
    );
  }
  expect(failures).toEqual([]);
}

/** A call among the first `calls` fails. */
export const randomFault = (upTo: UpTo, calls: number): Fault => ({
  n: 1 + upTo(calls),
  effect: upTo(2) ? 'before' : 'after',
  ends: upTo(2) ? 'call' : 'process',
});

export interface Rounds {
  /** Rounds whose processes fail; those after them do not. */
  readonly faulty: number;
  /** A process makes this number of calls at least; its fault is in one of them. */
  readonly calls: number;
}

/** Runs one or two processes at a time until the crawl is quiet. */
export async function runRounds(
  { clock, engine }: Pick<World, 'clock' | 'engine'>,
  upTo: UpTo,
  { faulty, calls }: Rounds,
  start: (engine: Engine, isFaulty: boolean) => Process,
): Promise<void> {
  for (let round = 0; !(await areQuiet(engine)); round++) {
    expect(round, 'rounds').toBeLessThan(faulty + 3);
    const isFaulty = round < faulty;
    const processes = Array.from({ length: 1 + upTo(2) }, () =>
      start(isFaulty ? withFault(engine, randomFault(upTo, calls)) : engine, isFaulty),
    );
    const ended = Promise.all(processes.map((process) => process.ended));
    await clock.drive(ended, () => areQuiet(engine));
    for (const process of processes) process.stop();
    await clock.drive(ended);
  }
}
