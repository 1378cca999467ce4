/**
 * The faulty disk as the tests use it: `fault-disk.c`, compiled when it is first needed, and what a process
 * is notified.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DiskOp } from './disk-log.ts';

/** The faults of one call. The times are in ms. */
export type DiskFault =
  /** `kill -9` before or after the call, or after half of a write. */
  | { readonly kind: 'killBefore' | 'killAfter' | 'tear' }
  /** The call fails; with `goesOn`, so does each later one that needs the same resource. */
  | { readonly kind: 'fail'; readonly errno: 'ENOSPC' | 'EIO' | 'EMFILE'; readonly goesOn: boolean }
  /** The call takes that long. */
  | { readonly kind: 'stall'; readonly ms: number }
  /** The machine's clock is set forward, or back if below 0. */
  | { readonly kind: 'clock'; readonly ms: number };

/** One call: the nth of this operation, kind of file and native call stack. */
export interface DiskPoint {
  readonly op: DiskOp;
  readonly fileKind: string;
  readonly stack: number;
  readonly n: number;
}

export interface DiskOptions {
  /** The folder whose calls count. Absolute. */
  readonly folder: string;
  /** The log, which is appended to. */
  readonly log?: string;
  /** Keeps the bytes of all writes in the log, for {@link createDiskModel}. */
  readonly keepsData?: boolean;
  readonly fault?: { readonly point: DiskPoint; readonly fault: DiskFault };
}

const SOURCE = fileURLToPath(new URL('./fault-disk.c', import.meta.url));

/** The compiled library; or why there is none: it needs Linux and a C compiler. */
export function buildFaultDisk(): { readonly library: string } | { readonly reason: string } {
  if (process.platform !== 'linux') return { reason: `LD_PRELOAD is for Linux, this is ${process.platform}` };
  const version = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), 'strand-fault-disk');
  const library = join(folder, `${version}-${process.arch}.so`);
  if (existsSync(library)) return { library };
  mkdirSync(folder, { recursive: true });
  const made = `${library}.${process.pid}`;
  try {
    execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', made, SOURCE, '-ldl', '-lpthread'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    return { reason: `no C compiler could make the faulty disk: ${(error as Error).message.split('\n')[0]}` };
  }
  // Several test files may make it at once.
  renameSync(made, library);
  return { library };
}

/** The environment of a process whose calls to the folder go through the faulty disk. */
export function diskEnvironment(library: string, options: DiskOptions): Record<string, string> {
  const { folder, log, keepsData, fault } = options;
  return {
    LD_PRELOAD: library,
    STRAND_FAULTS_FOLDER: folder,
    ...(log !== undefined && { STRAND_FAULTS_LOG: log }),
    ...(keepsData && { STRAND_FAULTS_DATA: '1' }),
    ...(fault && {
      STRAND_FAULTS_POINT: pointText(fault.point),
      STRAND_FAULTS_ACTION: actionText(fault.fault),
    }),
  };
}

export const pointText = ({ op, fileKind, stack, n }: DiskPoint): string =>
  `${op} ${fileKind} ${stack.toString(16).padStart(8, '0')} ${n}`;

function actionText(fault: DiskFault): string {
  switch (fault.kind) {
    case 'killBefore':
      return 'kill-before';
    case 'killAfter':
      return 'kill-after';
    case 'tear':
      return 'tear';
    case 'fail':
      return `${fault.goesOn ? 'fail-on' : 'fail'} ${constants.errno[fault.errno]}`;
    case 'stall':
    case 'clock':
      return `${fault.kind} ${fault.ms}`;
  }
}
