import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FAULT_NAMES, type FaultName } from '../../models/faults.ts';
import { breaksSame, shrink } from '../../worlds/shrink.ts';
import type { InvariantName, Outcome, WorldSpec } from '../../worlds/spec.ts';

interface Need {
  readonly faults: readonly FaultName[];
  readonly hosts: number;
  readonly pages: number;
  /** The number of strikes before it breaks. */
  readonly strikes: number;
  readonly invariant?: InvariantName;
}

const WORLD = { hosts: 9, pages: 40, strikes: 100 };
/** Faults that are on and never strike. */
const QUIET: readonly FaultName[] = ['paused', 'coldStart'];

/** A world that breaks if what it needs is there. */
function worldThat(need: Need): { run: (spec: WorldSpec) => Promise<Outcome>; specs: WorldSpec[] } {
  const specs: WorldSpec[] = [];
  return {
    specs,
    async run(spec) {
      specs.push(spec);
      const { faults, hosts = WORLD.hosts, pages = WORLD.pages, maxStrikes = Infinity } = spec;
      const striking = faults.filter((name) => !QUIET.includes(name));
      let left = striking.length > 0 ? Math.min(WORLD.strikes, maxStrikes) : 0;
      const total = left;
      const strikes = Object.fromEntries(FAULT_NAMES.map((name) => [name, 0])) as Record<FaultName, number>;
      for (let i = 0; left > 0; i++, left--) strikes[striking[i % striking.length] as FaultName]++;
      const isBroken =
        need.faults.every((name) => faults.includes(name)) &&
        hosts >= need.hosts &&
        pages >= need.pages &&
        total >= need.strikes;
      return {
        spec,
        violations: isBroken ? [{ invariant: need.invariant ?? 'oneState', message: 'lost' }] : [],
        strikes,
        excuses: {},
        figures: { hosts, pages, requests: 0, turns: 0, virtualMs: 0, realMs: 0 },
      };
    },
  };
}

const all = { seed: 17, faults: FAULT_NAMES };
const isBroken = breaksSame('oneState');

describe('a world that breaks an invariant is made smaller', () => {
  test('to the one fault, the hosts, pages and strikes that it needs', async () => {
    const { run } = worldThat({ faults: ['workerKilled'], hosts: 2, pages: 4, strikes: 3 });
    const shrunk = await shrink(all, run, isBroken);
    expect(shrunk?.spec).toEqual({ seed: 17, faults: ['workerKilled'], hosts: 2, pages: 4, maxStrikes: 3 });
    expect(shrunk && isBroken(shrunk.outcome)).toBe(true);
  });

  test('to no faults where it breaks by itself, and no limit of them is named', async () => {
    const { run } = worldThat({ faults: [], hosts: 1, pages: 1, strikes: 0 });
    const shrunk = await shrink({ ...all, maxStrikes: 50 }, run, isBroken);
    expect(shrunk?.spec).toEqual({ seed: 17, faults: [], hosts: 1, pages: 1 });
  });

  test('two faults that are needed together stay', async () => {
    const faults = ['throttleStorm', 'oldVersion'] as const;
    const { run } = worldThat({ faults, hosts: 1, pages: 1, strikes: 1 });
    const shrunk = await shrink(all, run, isBroken);
    expect(shrunk?.spec).toEqual({ seed: 17, faults, hosts: 1, pages: 1, maxStrikes: 1 });
  });

  test('what was requested is never made larger', async () => {
    const { run, specs } = worldThat({ faults: ['dnsFails'], hosts: 3, pages: 5, strikes: 2 });
    const spec: WorldSpec = { seed: 1, faults: ['dnsFails'], hosts: 3, pages: 5, maxStrikes: 2 };
    const shrunk = await shrink(spec, run, isBroken);
    expect(shrunk?.spec).toEqual(spec);
    for (const { hosts, pages, maxStrikes } of specs) {
      expect(hosts).toBeLessThanOrEqual(3);
      expect(pages).toBeLessThanOrEqual(5);
      expect(maxStrikes).toBeLessThanOrEqual(2);
    }
  });

  test('a smaller world that breaks something else is not taken', async () => {
    const { run } = worldThat({ faults: ['workerKilled'], hosts: 2, pages: 1, strikes: 1 });
    const shrunk = await shrink(
      all,
      async (spec) => {
        const outcome = await run(spec);
        if (outcome.violations.length > 0) return outcome;
        return { ...outcome, violations: [{ invariant: 'ends' as const, message: 'forever' }] };
      },
      isBroken,
    );
    expect(shrunk?.spec).toMatchObject({ faults: ['workerKilled'], hosts: 2 });
  });

  test('one that does not break again is not shrunk', async () => {
    const { run, specs } = worldThat({ faults: [], hosts: 100, pages: 1, strikes: 0 });
    expect(await shrink(all, run, isBroken)).toBeUndefined();
    expect(specs).toHaveLength(1);
  });

  test('with no more runs than allowed, it gives what it has', async () => {
    const { run, specs } = worldThat({ faults: ['httpFails'], hosts: 5, pages: 9, strikes: 60 });
    const shrunk = await shrink(all, run, isBroken, 7);
    expect(specs).toHaveLength(7);
    expect(shrunk?.runs).toBe(7);
    expect(shrunk && isBroken(shrunk.outcome)).toBe(true);
  });

  test('whatever it needs, what is given breaks, with that world as its own, and no world is run twice', async () => {
    const need = fc.record({
      faults: fc.subarray([...FAULT_NAMES], { maxLength: 3 }),
      hosts: fc.integer({ min: 1, max: WORLD.hosts }),
      pages: fc.integer({ min: 1, max: WORLD.pages }),
      strikes: fc.integer({ min: 0, max: WORLD.strikes }),
    });
    await fc.assert(
      fc.asyncProperty(need, async (needed) => {
        const { run, specs } = worldThat(needed);
        const shrunk = await shrink(all, run, isBroken);
        const striking = needed.faults.some((name) => !QUIET.includes(name));
        // Nothing strikes where only quiet faults are left.
        if (!shrunk) return expect(isBroken(await run(all))).toBe(false);
        expect(isBroken(await run(shrunk.spec))).toBe(true);
        expect(shrunk.runs).toBeLessThanOrEqual(150);
        expect(shrunk.spec.faults).toEqual(expect.arrayContaining(needed.faults));
        if (striking) expect([...shrunk.spec.faults].sort()).toEqual([...needed.faults].sort());
        expect(shrunk.spec.hosts ?? WORLD.hosts).toBe(needed.hosts);
        const keys = specs.slice(0, -1).map((spec) => JSON.stringify(spec));
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });
});
