/** Test files and worlds, run over an overlay in processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { WorldSpec } from '../worlds/spec.ts';
import { overlayEnvironment, SITES_FOLDER } from './overlay.ts';
import { ROOT } from './scope.ts';
import type { WorldLine } from './world-process.ts';

const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
const CONFIG = fileURLToPath(new URL('vitest.config.ts', import.meta.url));
const WORLD_PROCESS = fileURLToPath(new URL('world-process.ts', import.meta.url));

/** A program under test that has said nothing for so long hangs. Much more than a slow machine needs. */
const SILENCE_MS = 180_000;
const STDERR_CHARACTERS = 2000;

const running = new Set<ChildProcess>();

/** Ends all processes that this module has started. */
export function endAll(): void {
  for (const child of running) kill(child);
}

export interface TestFileResult {
  /** From the root. */
  readonly file: string;
  readonly ms: number;
  /** The first test that failed, or why the file could not run, and the first line of its error. */
  readonly failure?: { readonly test: string; readonly message: string };
}

export interface TestRun {
  /** Files that have run; not those after the first failure if the run was to stop there. */
  readonly files: readonly TestFileResult[];
  /** Whether it was ended for its silence. */
  readonly isHung: boolean;
}

/** Runs test files in that order. */
export async function runTestFiles(
  overlay: string,
  files: readonly string[],
  options: { readonly stopsAtFirst: boolean; readonly sitesFolder?: string; readonly workers?: number },
): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'strand-tests-'));
  const report = join(folder, 'report.json');
  const { stopsAtFirst, sitesFolder, workers = 1 } = options;
  const args = [
    ...[
      'run',
      '--config',
      CONFIG,
      '--maxWorkers',
      String(workers),
      '--reporter',
      'dot',
      '--reporter',
      'json',
    ],
    ...['--outputFile', report, ...(stopsAtFirst ? ['--bail', '1'] : []), ...files],
  ];
  const env = {
    ...overlayEnvironment(overlay),
    STRAND_TEST_FILES: files.join(),
    [SITES_FOLDER]: sitesFolder,
  };
  try {
    const { isHung, err } = await run([VITEST, ...args], env, () => {});
    const results = readReport(report);
    if (!results && !isHung) throw new Error(`The tests could not be run: ${err}`);
    const left = leftOut(files, results ?? []);
    // A file that nobody runs notices nothing: the mutant would seem to survive it.
    if (left.length > 0 && !isHung)
      throw new Error(`Test files that were not run: ${left.join(', ')}\n${err}`);
    return { files: results ?? [], isHung };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Those of `files` without a result. After a failure the others may be left out. */
const leftOut = (files: readonly string[], results: readonly TestFileResult[]): readonly string[] =>
  results.some(({ failure }) => failure)
    ? []
    : files.filter((file) => !results.some((result) => result.file === file));

/** As far as it is read here. */
interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

function readReport(path: string): TestFileResult[] | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  const { success, testResults } = JSON.parse(text) as Report;
  // Those that come after the first failure have neither a result nor a message.
  const hasRun = testResults.filter((one) => one.assertionResults.length > 0 || one.message !== '');
  const files = hasRun.map(({ name, status, message, startTime, endTime, assertionResults }) => {
    const failed = assertionResults.find((one) => one.status === 'failed');
    const file = { file: relative(ROOT, name), ms: endTime - startTime };
    if (failed) {
      const why = firstLine(failed.failureMessages?.[0] ?? '');
      return { ...file, failure: { test: failed.fullName, message: why } };
    }
    return status === 'failed' && message !== ''
      ? { ...file, failure: { test: '', message: firstLine(message) } }
      : file;
  });
  // An error outside of all tests: an unhandled rejection.
  const isUnhandled = !success && files.every((file) => !('failure' in file)) && files.length > 0;
  if (!isUnhandled) return files;
  const failure = { test: '', message: 'an unhandled error beside the tests' };
  return files.map((file, i) => (i === files.length - 1 ? { ...file, failure } : file));
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0]?.slice(0, 300) ?? '';

export interface WorldRun {
  readonly lines: readonly WorldLine[];
  /** The process ended, or was ended for its silence, in the world after the last line. */
  readonly end: 'done' | 'died' | 'hung';
  readonly err: string;
}

/** Runs worlds in that order, to the first that breaks an invariant. */
export async function runWorlds(overlay: string, specs: readonly WorldSpec[]): Promise<WorldRun> {
  const folder = mkdtempSync(join(tmpdir(), 'strand-worlds-'));
  const path = join(folder, 'specs.json');
  writeFileSync(path, JSON.stringify(specs));
  const lines: WorldLine[] = [];
  try {
    const { isHung, code, err } = await run([WORLD_PROCESS, path], overlayEnvironment(overlay), (line) =>
      lines.push(JSON.parse(line)),
    );
    return { lines, err, end: isHung ? 'hung' : code === 0 ? 'done' : 'died' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onLine: (line: string) => void,
): Promise<{ code: number | null; isHung: boolean; err: string }> {
  // A group of its own: tests start processes, too.
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.add(child);
  let err = '';
  let isHung = false;
  const giveUp = () => {
    isHung = true;
    kill(child);
  };
  let timer = setTimeout(giveUp, SILENCE_MS);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, SILENCE_MS);
  };
  child.stdout.on('data', heard);
  createInterface(child.stdout).on('line', onLine);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err = (err + text).slice(-STDERR_CHARACTERS);
  });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, isHung, err };
  } finally {
    clearTimeout(timer);
    running.delete(child);
    // Processes that the tests have left behind.
    kill(child);
  }
}

function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
