/**
 * A process that runs test files against one mutant after the other, so that neither Vitest nor the modules
 * that a mutant does not touch are loaded again. The parent sends a job, and receives its answer.
 */
import { loadersOf } from './importers.ts';
import { reload } from './reload-hooks.ts';

/** Test files to run, in that order, with another source in the place of a file's. */
export interface Job {
  readonly file: string;
  /** None: the one on the disk. */
  readonly source?: string;
  readonly tests: readonly string[];
  /** The longest time for one test. */
  readonly testMs: number;
}

/** To the first test that failed, if any. */
export interface Answer {
  readonly failure?: { readonly file: string; readonly test: string; readonly message: string };
  /** The same file fails without the mutant, too: the failure says nothing, and this process is of no use. */
  readonly isSpoiled?: boolean;
  /** By the clock. */
  readonly ms: number;
  /** CPU time. On a busy machine that is much less. */
  readonly cpuMs: number;
}

// After the hooks: it is the module that test files get as `vitest`.
const { forgetTests, runTests } = await import('./small-vitest.ts');
const ignored = new Error('ignored');
let reject: (error: unknown) => void = () => {};
process.on('uncaughtException', (error) => reject(error));
process.on('unhandledRejection', (error) => reject(error));
process.on('disconnect', () => process.exit(0));
process.on('message', (job: Job) => void answer(job).then((result) => process.send?.(result)));

async function answer({ file, source, tests, testMs }: Job): Promise<Answer> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const taken = () => {
    const { user, system } = process.cpuUsage(before);
    return { ms: performance.now() - startedAt, cpuMs: (user + system) / 1000 };
  };
  const loaders = loadersOf(file);
  const urlOf = reload(file, source, loaders);
  for (const test of tests) {
    process.send?.('alive');
    const failure = await run(test, urlOf(test), testMs);
    if (!failure) continue;
    const isSpoiled =
      source !== undefined && (await run(test, reload(file, undefined, loaders)(test), testMs)) !== undefined;
    return { failure: { file: test, ...failure }, isSpoiled, ...taken() };
  }
  return taken();
}

interface Failed {
  readonly test: string;
  readonly message: string;
}

async function run(file: string, url: string, testMs: number): Promise<Failed | undefined> {
  const beside = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  beside.catch(() => ignored);
  forgetTests();
  try {
    await Promise.race([import(url).then(() => runTests(testMs)), beside]);
    // An unhandled promise is rejected now, not during the next file.
    await Promise.race([new Promise((resolve) => setImmediate(resolve)), beside]);
    return undefined;
  } catch (error) {
    const { test = file, message = String(error) } = (error ?? {}) as { test?: string; message?: string };
    reject = () => {};
    // Promises that the failed test has left rejected are not for the next run of the file.
    await new Promise((resolve) => setImmediate(resolve));
    return { test, message: message.split('\n', 1)[0]?.slice(0, 300) ?? '' };
  } finally {
    reject = () => {};
  }
}
