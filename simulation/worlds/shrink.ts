/**
 * A world that breaks an invariant, made smaller: with fewer kinds of faults, hosts, pages and strikes, as
 * long as the same is broken. Smaller is better to read, not certain to be the smallest.
 */
import { FAULT_NAMES, type FaultName } from '../models/faults.ts';
import type { InvariantName, Outcome, WorldSpec } from './spec.ts';

export type Run = (spec: WorldSpec) => Promise<Outcome>;

export interface Shrunk {
  readonly spec: WorldSpec;
  /** The outcome of that world. */
  readonly outcome: Outcome;
  /** Worlds run on the way. */
  readonly runs: number;
}

/** Whether an outcome breaks that invariant, of whatever host. */
export const breaksSame =
  (invariant: InvariantName) =>
  ({ violations }: Outcome): boolean =>
    violations.some((violation) => violation.invariant === invariant);

const MAX_RUNS = 150;

/**
 * Undefined where the world itself does not break it when it is run again: then something in it does not
 * follow from its seed.
 */
export async function shrink(
  spec: WorldSpec,
  run: Run,
  breaks: (outcome: Outcome) => boolean,
  maxRuns = MAX_RUNS,
): Promise<Shrunk | undefined> {
  const tried = new Set<string>();
  let best = { spec, outcome: await run(spec) };
  if (!breaks(best.outcome)) return undefined;
  let runs = 1;

  /** Takes the smaller world if it breaks the same. */
  async function attempt(changes: Partial<WorldSpec>): Promise<boolean> {
    const smaller = { ...best.spec, ...changes };
    const key = JSON.stringify([smaller.faults, smaller.hosts, smaller.pages, smaller.maxStrikes]);
    if (tried.has(key) || runs >= maxRuns) return false;
    tried.add(key);
    runs++;
    const outcome = await run(smaller);
    if (!breaks(outcome)) return false;
    best = { spec: smaller, outcome };
    return true;
  }

  /** Without those that never struck nothing changes, as each draws from a chance of its own. */
  const dropUnstruck = async () => {
    const struck = best.spec.faults.filter((name) => best.outcome.strikes[name] > 0);
    if (struck.length < best.spec.faults.length) await attempt({ faults: struck });
  };

  async function fewerFaults(): Promise<void> {
    if (best.spec.faults.length === 0 || (await attempt({ faults: [] }))) return;
    await dropUnstruck();
    // Halves first, then quarters, ... at last one by one.
    for (let size = Math.ceil(best.spec.faults.length / 2); ; size = Math.ceil(size / 2)) {
      for (let from = 0; from < best.spec.faults.length; ) {
        const { faults } = best.spec;
        const rest = [...faults.slice(0, from), ...faults.slice(from + size)];
        if (rest.length === 0 || !(await attempt({ faults: rest }))) from += size;
      }
      if (size <= 1) break;
    }
  }

  /** The smallest size that breaks, of some; and from there downwards one by one. */
  async function fewer(name: 'hosts' | 'pages', most: number): Promise<void> {
    for (let size of sizesBelow(best.spec[name] ?? most + 1)) {
      if (!(await attempt({ [name]: size }))) continue;
      while (size > 1 && (await attempt({ [name]: size - 1 }))) size--;
      return;
    }
  }

  async function fewerStrikes(): Promise<void> {
    if (best.spec.faults.length === 0) return;
    // A limit above all strikes changes nothing, so this number is always enough.
    let enough = Math.min(sum(best.outcome.strikes), best.spec.maxStrikes ?? Number.POSITIVE_INFINITY);
    let tooFew = -1;
    while (enough - tooFew > 1) {
      const count = Math.floor((enough + tooFew) / 2);
      if (await attempt({ maxStrikes: count })) enough = Math.min(count, sum(best.outcome.strikes));
      else tooFew = count;
    }
    if (best.spec.maxStrikes === undefined || best.spec.maxStrikes > enough)
      await attempt({ maxStrikes: enough });
    await dropUnstruck();
  }

  let before: WorldSpec;
  do {
    before = best.spec;
    await fewerFaults();
    await fewer('hosts', best.outcome.figures.hosts);
    await fewer('pages', best.outcome.figures.pages);
    await fewerStrikes();
  } while (best.spec !== before && runs < maxRuns);
  return { ...best, spec: tidied(best.spec), runs };
}

/** 1, 2, 3, 4, 6, 8, 12, 16, 24, ...: a smallest one is likely small. */
function sizesBelow(end: number): number[] {
  const sizes: number[] = [];
  for (let size = 1, step = 1; size < end; size += step) {
    sizes.push(size);
    if (size >= 4 && Number.isInteger(Math.log2(size))) step = size / 2;
  }
  return sizes;
}

/** Without what says nothing: a limit of faults where there are none. */
function tidied({ maxStrikes, ...rest }: WorldSpec): WorldSpec {
  const faults: readonly FaultName[] = FAULT_NAMES.filter((name) => rest.faults.includes(name));
  return { ...rest, faults, ...(maxStrikes !== undefined && faults.length > 0 && { maxStrikes }) };
}

const sum = (counts: Readonly<Record<FaultName, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);
