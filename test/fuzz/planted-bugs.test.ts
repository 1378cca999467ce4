import { expect, test } from 'vitest';
import { fuzzTarget } from './fuzz-target.ts';
import { TARGETS } from './planted-bugs.ts';

const module = new URL('./planted-bugs.ts', import.meta.url).href;

test.each(TARGETS)('the fuzzer finds $name', async ({ name }) => {
  const { finding } = await fuzzTarget({ target: name, module, seconds: 20, seed: 1 });
  expect(finding ?? 'nothing found').toContain(name);
});
