import { describe, expect, test } from 'vitest';
import { fuzzTarget } from './fuzz-target.ts';
import { TARGETS } from './targets.ts';

/** CPU for one target's random documents, after its sweep; `STRAND_FUZZ_SECONDS` gives another number. */
const SECONDS = Number(process.env.STRAND_FUZZ_SECONDS ?? 1);
/** Each day tries other documents; `STRAND_FUZZ_SEED` gives a seed. */
const SEED = Number(process.env.STRAND_FUZZ_SEED ?? Math.floor(Date.now() / 86_400_000) * 1000);

describe(`no exception, no super-linear time, bounded memory (seed ${SEED})`, () => {
  test.each(TARGETS)('$target.name', async ({ target, module }) => {
    const seconds = SECONDS * (target.share ?? 1);
    const {
      finding,
      seed = SEED,
      path,
    } = await fuzzTarget({ target: target.name, module, seconds, seed: SEED });
    const again = `npm run fuzz -- --target "${target.name}" --seed ${seed}${path ? ` --path ${path}` : ''}`;
    expect(finding === undefined ? [] : [finding, again]).toEqual([]);
  });
});
