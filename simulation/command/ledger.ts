/**
 * Which seeds have run on which state of the code: runs with `--budget` in pieces add up. A file with one
 * line of JSON for each run, in a folder that is not part of the repository.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorldSpec } from '../worlds/spec.ts';

/** One run: all seeds from `from` on, `count` of them. */
export interface LedgerRun {
  readonly state: string;
  readonly from: number;
  readonly count: number;
  /** The seeds that broke an invariant. */
  readonly broken: readonly number[];
  /** Seeds of the corpus that ran besides, and held. */
  readonly corpus?: readonly number[];
  /** Real time. */
  readonly ms: number;
  /** When the run ended, ISO 8601. */
  readonly endedAt: string;
}

export interface LedgerSum {
  readonly runs: number;
  readonly worlds: number;
  readonly broken: readonly number[];
  /** Seeds of the corpus that held. */
  readonly corpus: readonly number[];
  /** The first seed behind the last run. */
  readonly next?: number;
}

export const LEDGER_PATH = '.simulate/runs.jsonl';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/**
 * The sources that determine a world, besides its seed; and the folders among them that only run worlds or
 * measure.
 */
const SOURCES = ['shared', 'functions', 'cdk', 'simulation'];
const BESIDE = /^simulation\/(?:command|capacity|coverage|mutants|test)\//;

/**
 * A hash of the code, of Node's version and of what worlds are besides their seeds: worlds of one state are
 * the same worlds.
 */
export function stateOf({ seed: _, ...spec }: WorldSpec, root = ROOT): string {
  const hash = createHash('sha256').update(JSON.stringify([process.version, spec]));
  const files = SOURCES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((name) => !BESIDE.test(name)),
  );
  for (const file of ['package-lock.json', ...files.sort()])
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 12);
}

/**
 * Returns the sum of the runs on that state so far. A line that was cut off is skipped: its run does not
 * count.
 */
export function sumOf(file: string, state: string): LedgerSum {
  const runs = linesOf(file).flatMap((line) => {
    try {
      const run: LedgerRun = JSON.parse(line);
      return run.state === state ? [run] : [];
    } catch {
      return [];
    }
  });
  const last = runs.at(-1);
  return {
    runs: runs.length,
    worlds: runs.reduce((sum, { count }) => sum + count, 0),
    broken: runs.flatMap(({ broken }) => broken),
    corpus: [...new Set(runs.flatMap(({ corpus = [] }) => corpus))],
    ...(last && { next: last.from + last.count }),
  };
}

export function addRun(file: string, run: LedgerRun): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(run)}\n`);
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
