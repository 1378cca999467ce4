import { expect, test } from 'vitest';
import { SWEPT_RECIPES } from './fuzz-part.ts';
import { fuzzTarget } from './fuzz-target.ts';
import { BUGS, SOUND } from './planted-bugs.ts';

/** As thorough as the tests of real targets. */
const TASK = {
  module: new URL('./planted-bugs.ts', import.meta.url).href,
  seed: 1,
  sweptRecipes: SWEPT_RECIPES,
};

/** Less than for a real target: a bug that makes a call take so long is found, whatever it is. */
const HANG_SECONDS = 1.5;
/** That a bug is found is the point here, not how small its document becomes. */
const shrinkMs = 1000;

test.each(BUGS)('the fuzzer finds $name', async ({ name }) => {
  const { finding } = await fuzzTarget({ ...TASK, target: name, seconds: 20, shrinkMs }, HANG_SECONDS);
  expect(finding ?? 'nothing found').toContain(name);
  // That the thread needed long to begin would be no finding.
  expect(finding).not.toContain('nothing yet');
});

test.each(SOUND)('the fuzzer finds nothing in $name', async ({ name }) => {
  const { finding } = await fuzzTarget({ ...TASK, target: name, seconds: 1.5 });
  expect(finding ?? 'nothing found').toBe('nothing found');
});
