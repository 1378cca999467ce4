/** Runs test files against mutants in a process that stays: milliseconds for each instead of seconds. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../scope.ts';
import type { Answer, Job } from './test-process.ts';

const PROGRAM = fileURLToPath(new URL('test-process.ts', import.meta.url));
/** A process that has said nothing for so long runs in circles. */
const SILENCE_MS = 30_000;
/** Without a mutant no test waits forever: a slow machine is no reason to leave its file out. */
const FIRST_TEST_MS = 25_000;
/** With a mutant a test may take this, or as many times what its file took without, if that is longer. */
const TEST_MS = 5000;
const SLOWER = 10;
/** A file that takes more CPU time at first is measured again: then the modules that it imports are loaded already. */
const MUCH_CPU_MS = 1000;
/** The modules of earlier jobs stay in its memory. */
const MAX_JOBS = 60;
const HEAP_MB = 3000;

/** `hung`: a test waited forever. `unfit`: the tests fail without the mutant, too. */
export type Finding =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed' | 'hung'; readonly file: string; readonly test: string; readonly why: string }
  | { readonly kind: 'unfit' };

export interface TestRunner {
  /** Runs them in that order, to the first that fails. Calls must not overlap. */
  run(job: Omit<Job, 'testMs'>): Promise<Finding>;
  /** The CPU time that the file takes without a mutant; none: it does not pass in such a process. */
  timeOf(testFile: string): Promise<number | undefined>;
  close(): void;
}

/** By test file, how long it takes without a mutant; undefined: it does not pass. */
export type TestTimes = Map<string, Pick<Answer, 'ms' | 'cpuMs'> | undefined>;

/**
 * `times`: what runners that work side by side know of test files. `say` gets those that do not pass
 * without a mutant.
 */
export function createTestRunner(
  times: TestTimes = new Map(),
  say: (line: string) => void = () => {},
): TestRunner {
  let child: ChildProcess | undefined;
  let jobs = 0;

  const end = () => {
    child?.kill('SIGKILL');
    child = undefined;
  };

  async function ask(job: Job): Promise<Answer | NoAnswer> {
    if (jobs >= MAX_JOBS) end();
    if (!child) jobs = 0;
    child ??= fork(PROGRAM, {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${HEAP_MB}`],
    });
    jobs++;
    const asked = child;
    const answer = await answerOf(asked, job);
    if (isNone(answer)) end();
    return answer;
  }

  async function timeOf(testFile: string): Promise<number | undefined> {
    if (!times.has(testFile)) {
      const measure = () => ask({ file: testFile, tests: [testFile], testMs: FIRST_TEST_MS });
      let answer = await measure();
      if (!isNone(answer) && !answer.failure && answer.cpuMs > MUCH_CPU_MS) answer = await measure();
      if (isNone(answer)) say(`${testFile} is left to Vitest: ${answer}`);
      else if (answer.failure) say(`${testFile} is left to Vitest: ${answer.failure.message}`);
      times.set(testFile, isNone(answer) || answer.failure ? undefined : answer);
    }
    return times.get(testFile)?.cpuMs;
  }

  async function run(given: Omit<Job, 'testMs'>): Promise<Finding> {
    const longest = Math.max(0, ...given.tests.map((file) => times.get(file)?.ms ?? 0));
    const job = { ...given, testMs: Math.min(FIRST_TEST_MS, Math.max(TEST_MS, SLOWER * longest)) };
    let answer = await ask(job);
    if (!isNone(answer) && answer.isSpoiled) {
      // Perhaps an earlier mutant did that: a new process shows it.
      end();
      answer = await ask(job);
    }
    if (isNone(answer)) {
      const why = answer === 'died' ? 'the process died' : 'silent for too long';
      return { kind: answer === 'died' ? 'failed' : 'hung', file: job.tests[0] ?? '', test: '', why };
    }
    const { failure, isSpoiled } = answer;
    if (!failure) return { kind: 'passed' };
    if (isSpoiled) return { kind: 'unfit' };
    const { file, test, message: why } = failure;
    const isLate = why.includes('timed out');
    // Its test runs on.
    if (isLate) end();
    return { kind: isLate ? 'hung' : 'failed', file, test, why };
  }

  return { run, timeOf, close: end };
}

type NoAnswer = 'died' | 'hung';
const isNone = (answer: Answer | NoAnswer): answer is NoAnswer => typeof answer === 'string';

function answerOf(child: ChildProcess, job: Job): Promise<Answer | NoAnswer> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout;
    const done = (answer: Answer | NoAnswer) => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve(answer);
    };
    const onExit = () => done('died');
    const onMessage = (message: Answer | 'alive') => {
      if (message !== 'alive') return done(message);
      wait();
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => done('hung'), SILENCE_MS);
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
    wait();
    child.send(job);
  });
}
