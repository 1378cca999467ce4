import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import { errorFields, type Log } from './log.ts';

/** Errors of single crawls. They must not stop other crawls, and must not go unseen. */
export interface CrawlErrors {
  /** Does the work; if it fails, notes the crawl and writes a log line. Undefined if it failed. */
  attempt<T>(crawl: CrawlId, work: () => Promise<T>): Promise<T | undefined>;
  has(crawl: CrawlId): boolean;
  /** Throws if there is one: alarms watch failed invocations. */
  throwAny(): void;
}

export function gatherCrawlErrors(log: Log): CrawlErrors {
  const errors = new Map<CrawlId, unknown>();
  return {
    async attempt(crawl, work) {
      try {
        return await work();
      } catch (error) {
        errors.set(crawl, error);
        log('error', { crawl, ...errorFields(error) });
        return undefined;
      }
    },
    has: (crawl) => errors.has(crawl),
    throwAny() {
      const [cause] = errors.values();
      if (errors.size > 0) throw new Error(`It failed for: ${[...errors.keys()].join(', ')}`, { cause });
    },
  };
}

/**
 * Rotates the crawls by `turn`, as the last ones may be left without time.
 */
export function beginningAt<T>(items: readonly T[], turn: number): T[] {
  const first = turn % Math.max(1, items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}
