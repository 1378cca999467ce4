/** The messages between the command and a process that runs worlds for it. */

import { messageOf } from '../../shared/core/base/error-message.ts';
import { FAULT_NAMES, type FaultName } from '../models/faults.ts';
import { NoEnd } from '../models/virtual-time.ts';
import type { Outcome, Violation, WorldSpec } from '../worlds/spec.ts';

export interface RunOptions {
  readonly timeline?: boolean;
  readonly calls?: boolean;
}
export type RunWorld = (spec: WorldSpec, options?: RunOptions) => Promise<Outcome>;

export interface Ask {
  readonly spec: WorldSpec;
  readonly options?: RunOptions;
}

/** `ready` comes once, when all code is loaded; then one outcome for each asking. */
export type Answer = { readonly isReady: true } | { readonly outcome: Outcome };

/** Runs the worlds that the parent process asks for, one after the other, until it goes. Never resolves. */
export async function serveWorlds(run: RunWorld): Promise<never> {
  if (!process.send) throw new Error('Expected to be started by the command, with a channel to it');
  // Ctrl-C reaches the whole group: the parent says when it is over.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit(0));
  const answer = (message: Answer) => process.send?.(message);
  process.on('message', async ({ spec, options }: Ask) => {
    const outcome = await runOrBlame(run, spec, options);
    // An unhandled rejection of this world ends the process now, not during the next one.
    await new Promise((resolve) => setImmediate(resolve));
    answer({ outcome });
  });
  answer({ isReady: true });
  return new Promise<never>(() => {});
}

const STACK_LINES = 4;

/** Runs a world. An error that `run` throws is a finding. */
async function runOrBlame(run: RunWorld, spec: WorldSpec, options?: RunOptions): Promise<Outcome> {
  try {
    return await run(spec, options);
  } catch (error) {
    if (error instanceof NoEnd) return outcomeWithout(spec, { invariant: 'ends', message: error.message });
    const stack = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
    const lines = stack.split('\n').slice(0, STACK_LINES);
    return outcomeWithout(spec, {
      invariant: 'noCrash',
      message: `The simulation threw: ${lines.map((line) => line.trim()).join(' | ')}`,
    });
  }
}

/** The outcome of a world that did not end. */
export function outcomeWithout(spec: WorldSpec, violation: Violation): Outcome {
  const strikes = Object.fromEntries(FAULT_NAMES.map((name) => [name, 0])) as Record<FaultName, number>;
  const figures = { hosts: 0, pages: 0, requests: 0, turns: 0, virtualMs: 0, realMs: 0 };
  return { spec, violations: [violation], strikes, excuses: {}, figures };
}
