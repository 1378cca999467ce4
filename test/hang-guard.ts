import { runInNewContext } from 'node:vm';

/**
 * Runs `work` and throws if it takes longer than 20 s: a guard against work without end, not a measure of
 * speed.
 */
export function withoutHang<T>(work: () => T): T {
  return runInNewContext('work()', { work }, { timeout: 20_000 });
}
