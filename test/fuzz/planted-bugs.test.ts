import { expect, test } from 'vitest';
import { fuzzTarget } from './fuzz-target.ts';
import { BUGS, SOUND } from './planted-bugs.ts';

const module = new URL('./planted-bugs.ts', import.meta.url).href;

test.each(BUGS)('the fuzzer finds $name', async ({ name }) => {
  const { finding } = await fuzzTarget({ target: name, module, seconds: 20, seed: 1 });
  expect(finding ?? 'nothing found').toContain(name);
});

test.each(SOUND)('the fuzzer finds nothing in $name', async ({ name }) => {
  const { finding } = await fuzzTarget({ target: name, module, seconds: 3, seed: 1 });
  expect(finding ?? 'nothing found').toBe('nothing found');
});
