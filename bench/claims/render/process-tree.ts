import { readdirSync, readFileSync } from 'node:fs';

export interface TreeUse {
  /** CPU of the processes below `root`, their ended children included. */
  readonly cpuMs: number;
  /** Their memory; what processes share is counted once. */
  readonly mb: number;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly cpuMs: number;
}

/** Returns the use of the processes below `root`, but for `other`, by Linux's /proc. */
export function treeUse(root: number, other?: number): TreeUse {
  const found = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readProcess(name) : []));
  const all = found.filter(({ pid }) => pid !== other);
  const tree = new Set([root]);
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid);
  }
  const below = all.filter(({ pid }) => pid !== root && tree.has(pid));
  return {
    cpuMs: below.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    mb: below.reduce((sum, { pid }) => sum + pssMb(pid), 0),
  };
}

function readProcess(name: string): Process[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'latin1');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
    return [{ pid: Number(name), parent: fields[1] as number, cpuMs: ticks * 10 }];
  } catch {
    // It has ended.
    return [];
  }
}

function pssMb(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}
