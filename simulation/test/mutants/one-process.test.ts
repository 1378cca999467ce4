/** Mutants are judged by their module's own tests in one process that stays. */
import { afterAll, expect, test } from 'vitest';
import { ownTestsOf } from '../../mutants/one-process/importers.ts';
import { createTestRunner } from '../../mutants/one-process/test-runner.ts';
import { readSource } from '../../mutants/scope.ts';

const FILE = 'shared/crawler/turn/part-id.ts';
const TESTS = ['test/crawler/turn/part-id.test.ts'];
const runner = createTestRunner();
afterAll(() => runner.close());

test("a module's own tests import it directly, or by the helpers of tests, or have its name", () => {
  expect(ownTestsOf('functions/crawl-errors.ts')).toEqual(['test/functions/crawl-errors.test.ts']);
  expect(ownTestsOf(FILE)).toContain('test/crawler/turn/part-id.test.ts');
  const ofWorker = ownTestsOf('shared/crawler/worker/worker.ts');
  expect(ofWorker).toContain('test/crawler/worker/turn.test.ts');
  expect(ofWorker).not.toContain('test/crawler/turn/part-id.test.ts');
  expect(ofWorker.every((file) => file.endsWith('.test.ts'))).toBe(true);
});

test('each job sees its own source, and no other', async () => {
  const source = readSource(FILE);
  const broken = source.replace(/return [^;]+;/, 'return "0" as never;');
  expect(broken).not.toBe(source);
  expect(await runner.run({ file: FILE, tests: TESTS })).toEqual({ kind: 'passed' });
  expect(await runner.run({ file: FILE, source: broken, tests: TESTS })).toMatchObject({
    kind: 'failed',
    file: TESTS[0],
    test: expect.stringMatching(/\w/),
    why: expect.stringContaining('expected'),
  });
  expect(await runner.run({ file: FILE, source, tests: TESTS })).toEqual({ kind: 'passed' });
});

test('what a failed test leaves rejected is not taken for a failure without the mutant', async () => {
  const left = 'Promise.reject(new Error("left"));';
  const source = readSource(FILE).replace(/return [^;]+;/, `${left} return "0" as never;`);
  const job = { file: FILE, tests: TESTS };
  expect(await runner.run({ ...job, source })).toMatchObject({ kind: 'failed', file: TESTS[0] });
  expect(await runner.run(job)).toEqual({ kind: 'passed' });
});

test('a source that cannot be loaded or ends the process is noticed, and the next job runs', async () => {
  const job = { file: FILE, tests: TESTS };
  expect(await runner.run({ ...job, source: 'export {};' })).toMatchObject({ kind: 'failed' });
  const ending = `${readSource(FILE)}\nprocess.exit(1);`;
  expect(await runner.run({ ...job, source: ending })).toMatchObject({
    kind: 'failed',
    why: 'the process died',
  });
  expect(await runner.run(job)).toEqual({ kind: 'passed' });
});

test('a test file that does not pass in such a process has no time', async () => {
  expect(await runner.timeOf('test/turn/no-such-file.test.ts')).toBeUndefined();
  expect(await runner.timeOf('test/crawler/turn/part-id.test.ts')).toBeGreaterThan(0);
});
