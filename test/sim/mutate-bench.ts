/** Copies of the program, one for each mutant, and what their simulations come to. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../shared/error-message.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const MUTANTS_FOLDER = join(ROOT, 'test/sim/mutants');
/** What the simulation is made of. */
const COPIED = ['shared', 'functions', 'cli', 'cdk', 'bench', 'test', 'package.json', 'tsconfig.json'];
/** A simulation that takes longer says nothing. */
const LIMIT_MS = 20 * 60_000;

/** What the simulation of a copy came to. */
export type Verdict =
  | {
      readonly kind: 'caught';
      readonly invariants: readonly string[];
      readonly seed: number;
      /** In a world with these. */
      readonly faults?: 'all' | 'none';
    }
  /** Every invariant held. */
  | { readonly kind: 'survived' }
  /** Nothing is said of the program: the simulator itself fell over, or took too long. */
  | { readonly kind: 'broken'; readonly why: string };

export interface Bench {
  /**
   * Runs so many worlds of the program with that mutant in it, up to the first that breaks an invariant; with all
   * faults, and then without any, where counters must be exact. Never rejects.
   */
  judge(mutant: string | undefined, seeds: number): Promise<Verdict>;
  /** Ends what runs, and removes all copies. Safe to repeat. */
  close(): void;
}

export const mutantNames = (): string[] =>
  readdirSync(MUTANTS_FOLDER)
    .filter((file) => file.endsWith('.patch'))
    .map((file) => file.slice(0, -'.patch'.length))
    .sort();

/** What is wrong with the mutant's patch, if it cannot be applied to the program as it is. */
export function patchFault(mutant: string): string | undefined {
  try {
    applyPatch(mutant, ROOT, '--check');
    return undefined;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: Buffer | string };
    return String(stderr).trim() || messageOf(error);
  }
}

/** To the last line as it is: no context is guessed. */
function applyPatch(mutant: string, folder: string, ...options: string[]): void {
  execFileSync('git', ['apply', ...options, join(MUTANTS_FOLDER, `${mutant}.patch`)], {
    cwd: folder,
    stdio: 'pipe',
  });
}

export function createBench(): Bench {
  const copies = new Set<string>();
  const running = new Set<ChildProcess>();
  // Of this one the others are copies: what is changed in the program meanwhile changes none of them.
  const sound = copyOf(ROOT);

  function copyOf(program: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'strand-mutant-'));
    copies.add(folder);
    for (const name of COPIED) cpSync(join(program, name), join(folder, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    return folder;
  }

  function remove(folder: string): void {
    rmSync(folder, { recursive: true, force: true });
    copies.delete(folder);
  }

  /** Without an exit code if its time is over. */
  async function simulate(folder: string, seeds: number, faults: string): Promise<Verdict> {
    const args = [
      ...['test/sim/simulate.ts', '--seed', '1', '--seeds', String(seeds), '--faults', faults],
      ...['--stop-at-first', '--no-shrink', '--quiet', '--json', '--jobs', '1'],
    ];
    // A group of its own, since it has processes, too.
    const child = spawn(process.execPath, args, { cwd: folder, stdio: 'pipe', detached: true });
    running.add(child);
    const timer = setTimeout(() => kill(child), LIMIT_MS);
    try {
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close') as Promise<[number | null]>,
      ]);
      return verdictOf(code, out, err);
    } finally {
      clearTimeout(timer);
      running.delete(child);
    }
  }

  return {
    async judge(mutant, seeds) {
      let folder: string | undefined;
      try {
        folder = copyOf(sound);
        if (mutant !== undefined) applyPatch(mutant, folder);
        for (const faults of ['all', 'none'] as const) {
          const verdict = await simulate(folder, seeds, faults);
          if (verdict.kind !== 'survived') return { ...verdict, faults };
        }
        return { kind: 'survived' };
      } catch (error) {
        return { kind: 'broken', why: messageOf(error) };
      } finally {
        if (folder !== undefined) remove(folder);
      }
    },
    close() {
      for (const child of running) kill(child);
      for (const folder of copies) remove(folder);
    },
  };
}

function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** As far as it is read here. */
interface Report {
  readonly broken: readonly {
    readonly seed: number;
    readonly violations: readonly { readonly invariant: string; readonly message: string }[];
  }[];
}

/** What the simulator says of itself: that it died, hung or threw. */
const OF_ITSELF = /^The simulat(or|ion) /;

/** By the exit code of the simulation and what it wrote, of which the last line is its report. */
export function verdictOf(code: number | null, out: string, err = ''): Verdict {
  if (code === 0) return { kind: 'survived' };
  if (code === null) return { kind: 'broken', why: 'it took too long, or was killed' };
  if (code !== 1) return { kind: 'broken', why: err.trim().split('\n')[0] || `exit code ${code}` };
  const { broken } = JSON.parse(out.trim().split('\n').at(-1) ?? '') as Report;
  for (const { seed, violations } of broken) {
    const ours = violations.filter(({ message }) => !OF_ITSELF.test(message));
    if (ours.length > 0)
      return { kind: 'caught', seed, invariants: [...new Set(ours.map(({ invariant }) => invariant))] };
  }
  return { kind: 'broken', why: broken[0]?.violations[0]?.message ?? 'it names no invariant' };
}
