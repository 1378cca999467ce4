/** The tests of the targets, in parts: each part is a file of its own, as files run beside each other. */
import { describe, expect, test } from 'vitest';
import { fuzzTarget } from './fuzz-target.ts';
import { TARGETS } from './targets.ts';

/** CPU for one target's random documents, after its sweep; `STRAND_FUZZ_SECONDS` gives another number. */
const SECONDS = Number(process.env.STRAND_FUZZ_SECONDS ?? 0.15);
/** The most recipes of a target's sweep; most targets have fewer. `npm run fuzz` tries all. */
export const SWEPT_RECIPES = 400;
/** The factor for the time of a target without a sweep. */
const UNSWEPT_SHARE = 4;
/**
 * The documents are the same in each run, so that only a change of the code can make it fail.
 * `STRAND_FUZZ_SEED` gives another seed; `npm run fuzz` draws a new one each time.
 */
const SEED = Number(process.env.STRAND_FUZZ_SEED ?? 1);

const PARTS = 6;

/** Tests each target whose place in the list is `part` modulo the number of parts. */
export function testPart(part: number): void {
  const targets = TARGETS.filter((_, i) => i % PARTS === part);
  describe(`no exception, no super-linear time, bounded memory (seed ${SEED})`, () => {
    test.each(targets)('$target.name', async ({ target, module }) => {
      const seconds = SECONDS * (target.share ?? 1) * (target.isSwept === false ? UNSWEPT_SHARE : 1);
      const task = { target: target.name, module, seconds, seed: SEED, sweptRecipes: SWEPT_RECIPES };
      const { finding, seed = SEED, path } = await fuzzTarget(task);
      const again = `npm run fuzz -- --target "${target.name}" --seed ${seed}${path ? ` --path ${path}` : ''}`;
      expect(finding === undefined ? [] : [finding, again]).toEqual([]);
    });
  });
}
