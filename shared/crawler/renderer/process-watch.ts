import { createProcessGroup, type ProcessUse } from './process-group.ts';

/** Watches the processes of one browser. */
export interface ProcessWatch {
  /** CPU in ms that each process has used, at the last look. Undefined where the system does not say. */
  cpuByProcess(): ReadonlyMap<number, number> | undefined;
  /** CPU of the browser since the last call, that of its ended processes included. */
  takeCpuMs(): number;
  end(): void;
}

export interface ProcessWatchOptions {
  /** The first process of the browser, which leads a group and a session of its own. Undefined: it runs elsewhere. */
  readonly root: number | undefined;
  /** A process that takes more is ended, and with it the page that it renders. The first process only if it renders. */
  readonly mostBytes: number;
  readonly mayEndRoot?: boolean;
  /** Called at each look. */
  readonly onLook: () => void;
}

const LOOK_MS = 250;

export function watchProcesses({
  root,
  mostBytes,
  mayEndRoot = false,
  onLook,
}: ProcessWatchOptions): ProcessWatch {
  const list = root === undefined ? undefined : createProcessGroup(root);
  let group: readonly ProcessUse[] = [];
  let takenCpuMs = 0;

  function look(): void {
    group = list?.() ?? [];
    for (const { pid, bytes, isZombie } of group)
      if (bytes > mostBytes && (pid !== root || mayEndRoot) && !isZombie) kill(pid);
    onLook();
  }

  const looking = setInterval(look, LOOK_MS).unref();
  return {
    cpuByProcess: () => list && new Map(group.map(({ pid, ownCpuMs }) => [pid, ownCpuMs])),
    takeCpuMs() {
      group = list?.() ?? [];
      const all = group.reduce((sum, { ownCpuMs, childrenCpuMs }) => sum + ownCpuMs + childrenCpuMs, 0);
      // A process that ends is counted a moment later, by its parent.
      const since = Math.max(0, all - takenCpuMs);
      takenCpuMs += since;
      return since;
    },
    end: () => clearInterval(looking),
  };
}

/** Returns the most CPU that one process has used since `before`; undefined where that is unknown. */
export function mostUsedSince(
  before: ReadonlyMap<number, number> | undefined,
  now: ReadonlyMap<number, number> | undefined,
): number | undefined {
  if (before === undefined || now === undefined) return undefined;
  return Math.max(0, ...[...now].map(([pid, ms]) => ms - (before.get(pid) ?? 0)));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
