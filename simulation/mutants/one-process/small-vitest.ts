/**
 * As much of Vitest as most test files use, for many runs of them in one process. `expect` is Vitest's own.
 * What a file uses besides fails in it, and Vitest itself runs that file.
 */
import * as vitest from 'vitest';

export const { expect, assert, vi, expectTypeOf } = vitest;

type Body = (...args: unknown[]) => unknown;
type Hook = (context: object) => unknown;

interface Suite {
  readonly name: string;
  readonly hooks: Record<'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll', Hook[]>;
  readonly items: (Suite | Test)[];
}
interface Test {
  readonly name: string;
  readonly body: Body;
}

const newSuite = (name: string): Suite => ({
  name,
  hooks: { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] },
  items: [],
});

let root = newSuite('');
let current = root;
let finishers: Hook[] = [];
/** Not those that a test replaces. */
const { setTimeout, clearTimeout } = globalThis;

type Declare = (name: unknown, first: unknown, second?: unknown) => void;

/** The body stands before or after the options. */
const bodyOf = (first: unknown, second: unknown): Body =>
  (typeof first === 'function' ? first : second) as Body;

const declareTest: Declare = (name, first, second) => {
  current.items.push({ name: String(name), body: bodyOf(first, second) });
};

const declareSuite: Declare = (name, first, second) => {
  const suite = newSuite(String(name));
  const outer = current;
  outer.items.push(suite);
  current = suite;
  try {
    bodyOf(first, second)();
  } finally {
    current = outer;
  }
};

const skip = Object.assign(() => {}, { each: () => () => {} });

function withForms(declare: Declare) {
  const each =
    (isSpread: boolean) =>
    (rows: readonly unknown[]): Declare =>
    (name, first, second) => {
      const body = bodyOf(first, second);
      for (const row of rows) {
        const args = isSpread && Array.isArray(row) ? row : [row];
        declare(nameOf(String(name), args), (...rest: unknown[]) => body(...args, ...rest));
      }
    };
  const forms = { each: each(true), for: each(false), skip, todo: skip, sequential: declare };
  const form = Object.assign((...args: Parameters<Declare>) => declare(...args), forms);
  const when = (isRun: unknown) => (isRun ? form : skip);
  return Object.assign(form, { runIf: when, skipIf: (isSkipped: unknown) => when(!isSkipped) });
}

function nameOf(name: string, args: readonly unknown[]): string {
  let next = 0;
  return name.replace(/%[sdijfo#]/g, () => {
    const value = args[next++];
    return typeof value === 'string' ? value : String(JSON.stringify(value));
  });
}

export const test = withForms(declareTest);
export const it = test;
export const describe = withForms(declareSuite);
export const beforeAll = (hook: Hook) => current.hooks.beforeAll.push(hook);
export const beforeEach = (hook: Hook) => current.hooks.beforeEach.push(hook);
export const afterEach = (hook: Hook) => current.hooks.afterEach.push(hook);
export const afterAll = (hook: Hook) => current.hooks.afterAll.push(hook);
export const onTestFinished = (hook: Hook) => finishers.push(hook);
export const onTestFailed = () => {};
export const inject = (): never => {
  throw new Error('Values of a global setup are for Vitest alone');
};

/** Forgets the tests of earlier files. */
export function forgetTests(): void {
  root = newSuite('');
  current = root;
}

/** Runs the tests that were declared, to the first failure, which it throws with the test's name. */
export async function runTests(timeoutMs: number): Promise<void> {
  await runSuite(root, { before: [], after: [], path: '', timeoutMs });
}

/** The suites around a suite or a test. */
interface Surroundings {
  /** Hooks for each test. */
  readonly before: readonly Hook[];
  readonly after: readonly Hook[];
  /** The names, the outermost first; '' for none. */
  readonly path: string;
  readonly timeoutMs: number;
}

async function runSuite({ hooks, items }: Suite, around: Surroundings): Promise<void> {
  const inside = {
    ...around,
    before: [...around.before, ...hooks.beforeEach],
    after: [...hooks.afterEach.toReversed(), ...around.after],
  };
  const atEnd = await runAll(hooks.beforeAll, {});
  try {
    for (const item of items) {
      const path = around.path ? `${around.path} > ${item.name}` : item.name;
      if ('items' in item) await runSuite(item, { ...inside, path });
      else await runTest(item, { ...inside, path });
    }
  } finally {
    await runAll([...atEnd, ...hooks.afterAll.toReversed()], {});
  }
}

async function runTest({ body }: Test, around: Surroundings): Promise<void> {
  const { before, after, path: name, timeoutMs } = around;
  finishers = [];
  const context = {
    task: { name },
    expect,
    onTestFinished,
    signal: new AbortController().signal,
    skip() {
      throw new Skipped();
    },
  };
  let cleanups: Hook[] = [];
  try {
    cleanups = await runAll(before, context);
    await withinTime(body(context), timeoutMs);
  } catch (error) {
    if (!(error instanceof Skipped)) throw Object.assign(new Error(firstLine(error)), { test: name });
  } finally {
    await runAll([...finishers.toReversed(), ...after, ...cleanups], context);
  }
}

class Skipped extends Error {}

const firstLine = (error: unknown): string =>
  String((error as Error | undefined)?.message ?? error).split('\n', 1)[0] as string;

/** Returns the functions that hooks returned, to be called at the end. */
async function runAll(hooks: readonly Hook[], context: object): Promise<Hook[]> {
  const returned: Hook[] = [];
  for (const hook of hooks) {
    const result = await hook(context);
    if (typeof result === 'function') returned.push(result as Hook);
  }
  return returned;
}

async function withinTime(result: unknown, timeoutMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(TIMED_OUT)), timeoutMs);
  });
  try {
    await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const TIMED_OUT = 'the test timed out';
