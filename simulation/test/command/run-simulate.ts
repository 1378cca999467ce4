/** Starts `npm run simulate` as tests do. */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { FaultName } from '../../models/faults.ts';
import type { ExcuseName } from '../../worlds/spec.ts';

const PROGRAM = fileURLToPath(new URL('../../command/simulate.ts', import.meta.url));
/** Worlds take 0.5 s of CPU and more each, and many times that at low priority beside other tests. */
export const LIMIT_MS = 1_500_000;

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Broken {
  readonly invariants: readonly string[];
  /** The command that replays it. */
  readonly replay: string;
}

export function simulate(...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
  });
  // Its time is virtual: it leaves the processors to the tests beside it, which use the real time.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const texts = { out: '', err: '' };
  for (const [name, stream] of [
    ['out', child.stdout],
    ['err', child.stderr],
  ] as const) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}

export interface Report {
  readonly seeds: number;
  readonly broken: readonly Broken[];
  readonly strikes: Readonly<Record<FaultName, number>>;
  readonly excuses: Readonly<Partial<Record<ExcuseName, { readonly worlds: number }>>>;
}

/** Runs worlds that must not break an invariant, in one process: each takes 8 s of CPU until its code is compiled. */
export async function hold(...args: string[]): Promise<Report> {
  const { code, out, err } = await simulate(...args, '--jobs', '1', '--quiet', '--json');
  expect(err).toBe('');
  const report = JSON.parse(out) as Report;
  expect(report.broken.map(({ invariants, replay }) => `${invariants}: ${replay}`)).toEqual([]);
  expect(code).toBe(0);
  return report;
}
