/** Where and of what a measurement is. */
import { execFileSync } from 'node:child_process';
import { arch, availableParallelism, cpus, loadavg, platform } from 'node:os';
import type { Surroundings } from './record.ts';

const ROOT = `${import.meta.dirname}/../..`;

/** To be asked before the bench begins: the load is that of others then. */
export function surroundings(now = new Date()): Surroundings {
  const model = cpus()[0]?.model.trim() || 'unknown processor';
  return {
    machine: `${availableParallelism()} x ${model}, ${platform()} ${arch()}`,
    node: process.versions.node,
    commit: commit(),
    load: Number((loadavg()[0] ?? 0).toFixed(2)),
    at: now.toISOString(),
  };
}

function commit(): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
    return git('rev-parse', '--short', 'HEAD') + (isChanged ? '+' : '');
  } catch {
    return undefined;
  }
}
