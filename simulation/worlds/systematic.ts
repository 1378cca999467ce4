/**
 * Systematic faults: of one world the longest invocation of each function is struck at each of its calls,
 * before and after it, in each way. So one turn, one routing, one round of the waker and one joining meet
 * whatever can happen to them.
 */

import type { RunWorld } from '../command/serve.ts';
import { CALL_FAULT_KINDS, CALL_MOMENTS, type CallFault, strikesRequests } from '../models/call-faults.ts';
import type { WorldSpec } from './spec.ts';

/** The worlds of `spec` with one struck call each. Runs the world once, to see its calls. */
export async function struckWorlds(
  spec: WorldSpec,
  run: RunWorld,
  actors: readonly string[],
): Promise<WorldSpec[]> {
  const { calls = {} } = await run(spec, { calls: true });
  return longestOf(calls, actors).flatMap(([invocation, made]) =>
    strikesOf(invocation, made).map((strike) => ({ ...spec, strike })),
  );
}

/** Returns for each function the invocation with the most calls; the first of several. */
function longestOf(
  calls: Readonly<Record<string, string>>,
  actors: readonly string[],
): (readonly [invocation: string, made: string])[] {
  const longest = new Map<string, readonly [string, string]>();
  for (const [invocation, made] of Object.entries(calls)) {
    const actor = actorOf(invocation);
    if (!actors.includes(actor)) continue;
    if (made.length > (longest.get(actor)?.[1].length ?? 0)) longest.set(actor, [invocation, made]);
  }
  return [...longest.values()];
}

function strikesOf(invocation: string, made: string): CallFault[] {
  const actor = actorOf(invocation);
  const number = Number(invocation.slice(actor.length + 1));
  return [...made].flatMap((kind, i) =>
    CALL_MOMENTS.flatMap((moment) =>
      CALL_FAULT_KINDS.map((kind) => ({ actor, invocation: number, call: i + 1, moment, kind })),
    ).filter((fault) => kind === 'c' || strikesRequests(fault)),
  );
}

const actorOf = (invocation: string): string => invocation.slice(0, invocation.indexOf('/'));
