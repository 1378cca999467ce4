import { type CrawlConfig, parseConfig } from '../crawl/config.ts';
import { createScope, type Scope } from '../crawl/scope.ts';
import type { Clock, CrawlId, CrawlRegistry, CrawlStatus } from '../ports.ts';
import { type Budget, createBudget } from './budget.ts';

/** A crawl as a worker sees it. `scope` and `status` are at most some seconds old. */
export interface Crawl {
  readonly id: CrawlId;
  readonly config: CrawlConfig;
  readonly budget: Budget;
  readonly scope: Scope;
  readonly status: CrawlStatus;
}

/** The crawls that a worker works for, loaded when first met. */
export interface Crawls {
  /** Undefined for a crawl that is not there (any more). */
  get(id: CrawlId): Promise<Crawl | undefined>;
  /** Forgets what is known, so that the next `get` loads it. */
  refresh(id: CrawlId): void;
}

/** An operator's word (pause, stop) is heard within this time. */
const MAX_AGE_MS = 2000;

export function createCrawls(registry: CrawlRegistry, clock: Clock): Crawls {
  const known = new Map<CrawlId, { loadedAt: number; seeds: number; crawl: Crawl }>();
  const loading = new Map<CrawlId, Promise<Crawl | undefined>>();
  /** How often a crawl was to be forgotten. A load that was under way then may not know why. */
  const refreshes = new Map<CrawlId, number>();

  async function load(id: CrawlId): Promise<Crawl | undefined> {
    const refreshed = refreshes.get(id);
    const record = await registry.load(id);
    if (!record) return undefined;
    const before = known.get(id);
    const { status, scopeSeeds } = record;
    let crawl: Crawl;
    if (before && before.seeds === scopeSeeds.length) {
      crawl = { ...before.crawl, status };
    } else {
      const config = before?.crawl.config ?? parseConfig(record.config);
      const budget = before?.crawl.budget ?? createBudget(config, await registry.totals(id), clock.now);
      crawl = { id, config, budget, status, scope: createScope(config, scopeSeeds) };
    }
    const loadedAt = refreshes.get(id) === refreshed ? clock.now() : Number.NEGATIVE_INFINITY;
    known.set(id, { loadedAt, seeds: scopeSeeds.length, crawl });
    return crawl;
  }

  return {
    async get(id) {
      const refreshed = refreshes.get(id);
      for (;;) {
        const entry = known.get(id);
        if (entry && clock.now() - entry.loadedAt < MAX_AGE_MS) return entry.crawl;
        const isJoined = loading.has(id);
        const promise = loading.get(id) ?? load(id).finally(() => loading.delete(id));
        loading.set(id, promise);
        const crawl = await promise;
        // A load that others began may be older than the last refresh before this call.
        if (!isJoined || !crawl || refreshed === undefined) return crawl;
      }
    },
    refresh(id) {
      refreshes.set(id, (refreshes.get(id) ?? 0) + 1);
      const entry = known.get(id);
      if (entry) entry.loadedAt = Number.NEGATIVE_INFINITY;
    },
  };
}
