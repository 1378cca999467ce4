/**
 * Which calls of a crawl are struck: the few that represent all. Calls are alike if they are made in the same
 * phase of the crawl, are the same operation on the same kind of file, and come from the same place in SQLite
 * or Node (their native stack).
 */
import { stream } from '../web/random.ts';
import type { DiskCall } from './disk-log.ts';
import type { DiskPoint } from './fault-disk.ts';
import type { ScenarioName } from './scenarios.ts';
import type { Strike } from './world.ts';

export const PHASES = ['opening', 'crawling', 'closing'] as const;
export type Phase = (typeof PHASES)[number];

/** A call of an undisturbed process. */
export interface Candidate {
  readonly scenario: ScenarioName;
  /** The strikes on the processes before that one. */
  readonly before: readonly Strike[];
  readonly phase: Phase;
  readonly call: DiskCall;
}

export const classOf = ({ scenario, before, phase, call }: Candidate): string =>
  `${scenario} ${before.length > 0 ? 'resume' : 'crawl'} ${phase} ${call.op} ${call.fileKind} ${call.stack.toString(16)}`;

export const pointOf = ({ op, fileKind, stack, n }: DiskCall): DiskPoint => ({ op, fileKind, stack, n });

/** `requests`: when they began, in ms since the epoch. */
export function candidatesOf(
  scenario: ScenarioName,
  before: readonly Strike[],
  calls: readonly DiskCall[],
  requests: readonly number[],
): Candidate[] {
  const [first, last] = [Math.min(...requests), Math.max(...requests)];
  const phaseOf = (at: number): Phase => (at < first ? 'opening' : at > last ? 'closing' : 'crawling');
  return calls.map((call) => ({ scenario, before, phase: phaseOf(call.at), call }));
}

/** A call and what happens at it. */
export interface Choice<Fault> {
  readonly candidate: Candidate;
  readonly fault: Fault;
}

/**
 * Chooses `count` pairs of a call and one of the faults that `faultsOf` has for it: at least one for each.
 * All classes come before any comes a second time, and a class has all its faults before one comes again.
 */
export function choosePoints<Fault>(
  candidates: readonly Candidate[],
  faultsOf: (call: DiskCall) => readonly Fault[],
  count: number,
  seed: number,
): Choice<Fault>[] {
  const random = stream(seed, 'points');
  const classes = shuffled([...Map.groupBy(candidates, classOf).values()], random);
  const left = classes.map((all) => ({ all, faults: shuffled(faultsOf(all[0]!.call), random) }));
  const chosen: Choice<Fault>[] = [];
  for (let round = 0; chosen.length < count && left.length > 0; round++) {
    for (const { all, faults } of left) {
      if (chosen.length === count) break;
      const candidate = all[Math.floor(random() * all.length)]!;
      chosen.push({ candidate, fault: faults[round % faults.length]! });
    }
  }
  return chosen;
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
