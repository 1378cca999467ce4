/** The results of many worlds, added up as their outcomes come, in any order. */
import { hash } from 'node:crypto';
import { FAULT_NAMES, type FaultName } from '../models/faults.ts';
import {
  EXCUSE_NAMES,
  type ExcuseName,
  type Outcome,
  type Violation,
  type WorldSpec,
} from '../worlds/spec.ts';

/** A world that broke an invariant. */
export interface Broken {
  readonly spec: WorldSpec;
  /** The first ones. */
  readonly violations: readonly Violation[];
  readonly count: number;
}

export interface Tally {
  readonly worlds: number;
  readonly pages: number;
  readonly requests: number;
  readonly hosts: number;
  readonly virtualMs: number;
  readonly strikes: Readonly<Record<FaultName, number>>;
  /** In how many worlds each fault struck. */
  readonly worldsStruck: Readonly<Record<FaultName, number>>;
  /** How often each excuse was used, and in how many worlds; those that were not used are left out. */
  readonly excuses: Readonly<
    Partial<Record<ExcuseName, { readonly times: number; readonly worlds: number }>>
  >;
  /** In how many any did. */
  readonly worldsWithFaults: number;
  /** By seed. */
  readonly broken: readonly Broken[];
  /**
   * A digest of all outcomes without their real times: the same worlds give the same digest, in any order. Hex.
   */
  readonly digest: string;
}

/** Violations that are kept of one world. */
const MAX_VIOLATIONS = 20;

export function createTally(): { add(outcome: Outcome): void; now(): Tally } {
  const zeros = () => Object.fromEntries(FAULT_NAMES.map((name) => [name, 0])) as Record<FaultName, number>;
  const sums = { worlds: 0, pages: 0, requests: 0, hosts: 0, virtualMs: 0, worldsWithFaults: 0 };
  const strikes = zeros();
  const worldsStruck = zeros();
  const excuses: Partial<Record<ExcuseName, { times: number; worlds: number }>> = {};
  const broken: Broken[] = [];
  let digest = 0n;

  return {
    add(outcome) {
      const { spec, violations, figures } = outcome;
      sums.worlds++;
      for (const name of ['pages', 'requests', 'hosts', 'virtualMs'] as const) sums[name] += figures[name];
      let isStruck = false;
      for (const name of FAULT_NAMES) {
        if (outcome.strikes[name] === 0) continue;
        strikes[name] += outcome.strikes[name];
        worldsStruck[name]++;
        isStruck = true;
      }
      if (isStruck) sums.worldsWithFaults++;
      for (const name of EXCUSE_NAMES) {
        const { times, worlds } = excuses[name] ?? { times: 0, worlds: 0 };
        const used = outcome.excuses[name] ?? 0;
        if (used > 0) excuses[name] = { times: times + used, worlds: worlds + 1 };
      }
      if (violations.length > 0) {
        broken.push({ spec, violations: violations.slice(0, MAX_VIOLATIONS), count: violations.length });
        broken.sort((a, b) => a.spec.seed - b.spec.seed);
      }
      digest ^= BigInt(`0x${digestOf(outcome)}`);
    },
    now: () => ({
      ...sums,
      strikes,
      worldsStruck,
      excuses,
      broken,
      digest: digest.toString(16).padStart(16, '0'),
    }),
  };
}

/** A digest of everything that the world determines. 64 bits, hex. */
export function digestOf({ spec, violations, strikes, figures, timeline }: Outcome): string {
  const { realMs: _, ...worlds } = figures;
  return hash('sha256', JSON.stringify([spec, violations, strikes, worlds, timeline])).slice(0, 16);
}

/** The one that came first, where that is known: what follows from it comes later. */
export function firstViolation(violations: readonly Violation[]): Violation | undefined {
  return violations.reduce<Violation | undefined>(
    (first, violation) =>
      first === undefined || (violation.at ?? Infinity) < (first.at ?? Infinity) ? violation : first,
    undefined,
  );
}
