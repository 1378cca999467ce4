/** A program run and measured with all the processes that it starts: CPU, memory, time. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface RunCommand {
  readonly command: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The core it is pinned to, where `taskset` is there; with several threads, several: `0,1`. */
  readonly cores?: string;
  /** Ended after so long. */
  readonly timeoutMs: number;
}

export interface RunCost {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** The most that all processes together had resident, looked at every 100 ms; 0 where there is no /proc. */
  readonly peakBytes: number;
  readonly code: number | null;
  /** The end of what was written, for when it failed. */
  readonly output: string;
}

const LOOK_MS = 100;
const KEPT_CHARS = 2000;
/**
 * `times` of the shell says what its ended children and theirs have used, to 10 ms: the one count of a
 * process tree that every Unix has.
 */
const SCRIPT = 'out=$1; shift; "$@"; code=$?; times > "$out"; exit $code';

export const hasTaskset: boolean = spawnSync('taskset', ['--version']).status === 0;

/** Words before a command that pin it. */
export const pinned = (cores: string): string[] => (hasTaskset ? ['taskset', '-c', cores] : []);

export async function runMeasured({ command, cwd, env, cores, timeoutMs }: RunCommand): Promise<RunCost> {
  const folder = mkdtempSync(join(tmpdir(), 'strand-bench-run-'));
  const timesFile = join(folder, 'times');
  writeFileSync(timesFile, '');
  const words = [
    ...(cores === undefined ? [] : pinned(cores)),
    'sh',
    '-c',
    SCRIPT,
    'sh',
    timesFile,
    ...command,
  ];
  const [program, ...args] = words as [string, ...string[]];
  const startedAt = performance.now();
  try {
    // In a group of its own, so that all of it can be found and ended.
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    const keep = (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-KEPT_CHARS);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    let peakBytes = 0;
    const look = setInterval(() => {
      peakBytes = Math.max(peakBytes, residentBytes(child.pid as number));
    }, LOOK_MS);
    const end = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), timeoutMs);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    });
    clearInterval(look);
    clearTimeout(end);
    const wallMs = performance.now() - startedAt;
    return { wallMs, cpuMs: cpuMsOfTimes(readFileSync(timesFile, 'utf8')), peakBytes, code, output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** CPU time from both lines of `times`: `0m1.23s 0m0.45s`, user and system, the shell's and its children's. */
export function cpuMsOfTimes(times: string): number {
  let ms = 0;
  for (const [, minutes, seconds] of times.matchAll(/(\d+)m([\d.]+)s/g))
    ms += Number(minutes) * 60_000 + Number(seconds) * 1000;
  return ms;
}

/** The resident memory of all processes of the group. */
function residentBytes(group: number): number {
  let bytes = 0;
  for (const name of namesIn('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = textOf(`/proc/${name}/stat`);
    // After the program's name, which may hold anything: state, parent, group.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(fields[2]) !== group) continue;
    const resident = /^VmRSS:\s+(\d+) kB/m.exec(textOf(`/proc/${name}/status`));
    bytes += Number(resident?.[1] ?? 0) * 1024;
  }
  return bytes;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty where the process has ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
