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

  async function load(id: CrawlId): Promise<Crawl | undefined> {
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
    known.set(id, { loadedAt: clock.now(), seeds: scopeSeeds.length, crawl });
    return crawl;
  }

  return {
    async get(id) {
      const entry = known.get(id);
      if (entry && clock.now() - entry.loadedAt < MAX_AGE_MS) return entry.crawl;
      let promise = loading.get(id);
      if (!promise) {
        promise = load(id).finally(() => loading.delete(id));
        loading.set(id, promise);
      }
      return promise;
    },
    refresh(id) {
      const entry = known.get(id);
      if (entry) entry.loadedAt = 0;
    },
  };
}
