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
 * Resolves to the smallest world found; to undefined if the world itself does not break it when it is run
 * again: then something in it does not follow from its seed.
 */
export async function shrink(
  spec: WorldSpec,
  run: Run,
  breaks: (outcome: Outcome) => boolean,
  maxRuns = MAX_RUNS,
): Promise<Shrunk | undefined> {
  const outcome = await run(spec);
  if (!breaks(outcome)) return undefined;
  return new Shrinker({ spec, outcome }, { run, breaks, maxRuns }).shrink();
}

interface ShrinkerOptions {
  readonly run: Run;
  readonly breaks: (outcome: Outcome) => boolean;
  readonly maxRuns: number;
}

class Shrinker {
  readonly #options: ShrinkerOptions;
  readonly #tried = new Set<string>();
  /** The smallest world so far. */
  #best: Omit<Shrunk, 'runs'>;
  #runs = 1;

  constructor(first: Omit<Shrunk, 'runs'>, options: ShrinkerOptions) {
    this.#best = first;
    this.#options = options;
  }

  async shrink(): Promise<Shrunk> {
    let before: WorldSpec;
    do {
      before = this.#best.spec;
      await this.#fewerFaults();
      await this.#fewer('hosts', this.#best.outcome.figures.hosts);
      await this.#fewer('pages', this.#best.outcome.figures.pages);
      await this.#fewerStrikes();
    } while (this.#best.spec !== before && this.#runs < this.#options.maxRuns);
    return { ...this.#best, spec: tidied(this.#best.spec), runs: this.#runs };
  }

  /** Takes the smaller world if it breaks the same. */
  async #attempt(changes: Partial<WorldSpec>): Promise<boolean> {
    const { run, breaks, maxRuns } = this.#options;
    const smaller = { ...this.#best.spec, ...changes };
    const key = JSON.stringify([smaller.faults, smaller.hosts, smaller.pages, smaller.maxStrikes]);
    if (this.#tried.has(key) || this.#runs >= maxRuns) return false;
    this.#tried.add(key);
    this.#runs++;
    const outcome = await run(smaller);
    if (!breaks(outcome)) return false;
    this.#best = { spec: smaller, outcome };
    return true;
  }

  /** Drops the kinds of faults that never struck: nothing changes, as each kind draws from its own numbers. */
  async #dropUnstruck(): Promise<void> {
    const { spec, outcome } = this.#best;
    const struck = spec.faults.filter((name) => outcome.strikes[name] > 0);
    if (struck.length < spec.faults.length) await this.#attempt({ faults: struck });
  }

  async #fewerFaults(): Promise<void> {
    if (this.#best.spec.faults.length === 0 || (await this.#attempt({ faults: [] }))) return;
    await this.#dropUnstruck();
    // Halves first, then quarters, ... at last one by one.
    for (let size = Math.ceil(this.#best.spec.faults.length / 2); ; size = Math.ceil(size / 2)) {
      for (let from = 0; from < this.#best.spec.faults.length; ) {
        const { faults } = this.#best.spec;
        const rest = [...faults.slice(0, from), ...faults.slice(from + size)];
        if (rest.length === 0 || !(await this.#attempt({ faults: rest }))) from += size;
      }
      if (size <= 1) break;
    }
  }

  /** Takes the first of some sizes that breaks the same, then reduces it one by one. */
  async #fewer(name: 'hosts' | 'pages', most: number): Promise<void> {
    for (let size of sizesBelow(this.#best.spec[name] ?? most + 1)) {
      if (!(await this.#attempt({ [name]: size }))) continue;
      while (size > 1 && (await this.#attempt({ [name]: size - 1 }))) size--;
      return;
    }
  }

  async #fewerStrikes(): Promise<void> {
    const { spec, outcome } = this.#best;
    if (spec.faults.length === 0) return;
    // A limit above all strikes changes nothing, so this number is always enough.
    let enough = Math.min(sum(outcome.strikes), spec.maxStrikes ?? Number.POSITIVE_INFINITY);
    let tooFew = -1;
    while (enough - tooFew > 1) {
      const count = Math.floor((enough + tooFew) / 2);
      if (await this.#attempt({ maxStrikes: count }))
        enough = Math.min(count, sum(this.#best.outcome.strikes));
      else tooFew = count;
    }
    const { maxStrikes } = this.#best.spec;
    if (maxStrikes === undefined || maxStrikes > enough) await this.#attempt({ maxStrikes: enough });
    await this.#dropUnstruck();
  }
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
