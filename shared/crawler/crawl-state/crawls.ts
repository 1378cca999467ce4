import { reasonIn, type StatusReason } from '../../core/causes/status-reason.ts';
import type { CrawlConfig, HostConfig } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { createHostConfigs } from '../../core/crawl/host-config.ts';
import { createScope, type Scope } from '../../core/crawl/scope.ts';
import { Sites } from '../../core/crawl/sites.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import { createUrlRules } from '../../core/url/url-rules.ts';
import type { Clock } from '../ports/clock.ts';
import type { CrawlRecord, CrawlRegistry, CrawlStatus } from '../ports/crawl-registry.ts';
import { type Budget, createBudget } from './budget.ts';
import { parseStoredConfig } from './stored-config.ts';
import type { Tally } from './tally.ts';

/** A crawl as a worker sees it. `config`, `scope` and `status` are at most some seconds old. */
export interface Crawl {
  readonly id: CrawlId;
  readonly config: CrawlConfig;
  /** Undefined for a crawl that was begun without a list of them. */
  readonly sites?: Sites | undefined;
  /** The configuration of a host: with the overrides that mean it, and the settings of its site. */
  readonly configOf: (host: HostKey) => HostConfig;
  readonly budget: Budget;
  readonly scope: Scope;
  readonly status: CrawlStatus;
  readonly reason?: StatusReason | undefined;
  /** How often an operator has resumed it. */
  readonly resumes: number;
  /** The earlier crawl whose payloads are not stored again. */
  readonly dedupeFrom?: CrawlId | undefined;
  /** The form under which the crawl knows a canonical URL: by its URL rules. */
  readonly nameOf: (url: string) => string;
}

/** The crawls that a worker works for, loaded when first met. */
export interface Crawls {
  /** Undefined for a crawl that is not there (any more). Rejects with `NewerFormat` for one of a newer version. */
  get(id: CrawlId): Promise<Crawl | undefined>;
  /** The crawl that `get` returns without loading its record; undefined if it loads it. */
  fresh(id: CrawlId): Crawl | undefined;
  /** Drops the loaded record, so that the next `get` loads it again. */
  refresh(id: CrawlId): void;
  /** Frees the memory of a crawl that is not needed for some time. */
  forget(id: CrawlId): void;
  /** The crawls met so far, as last loaded, without deleted ones. */
  known(): readonly Crawl[];
}

/** An operator's command (pause, stop) takes effect within this time (docs/aws.md, "Operate"). */
export const MAX_AGE_MS = 2000;
/** Where other processes work for the crawl too, what it has used is read again this often. */
const TOTALS_AGE_MS = 5000;

/**
 * Times are by the clock's `elapsed`: one that is set back must not keep an operator's command from being
 * heard.
 */
interface Known {
  /** When the read of the record began: the steps after it may take long. */
  loadedAt: number;
  readonly record: CrawlRecord;
  readonly crawl: Crawl;
  readonly totalsAt: number;
}

const freshOf = (entry: Known | undefined, elapsed: number): Crawl | undefined =>
  entry && elapsed - entry.loadedAt < MAX_AGE_MS ? entry.crawl : undefined;

/**
 * `tally`: where several threads of this process count together, for the one crawl that they all work for.
 */
export function createCrawls(registry: CrawlRegistry, clock: Clock, tally?: Tally): Crawls {
  const elapsed = clock.elapsed ?? clock.now;
  const known = new Map<CrawlId, Known>();
  const loading = new Map<CrawlId, Promise<Crawl | undefined>>();
  /** How often each crawl was refreshed. A load that was in progress then may be out of date. */
  const refreshes = new Map<CrawlId, number>();

  async function load(id: CrawlId): Promise<Crawl | undefined> {
    const refreshed = refreshes.get(id);
    const readAt = elapsed();
    const record = await registry.load(id);
    if (!record) {
      // It was deleted. What is known of it would be taken for a crawl that runs.
      known.delete(id);
      return undefined;
    }
    const before = known.get(id);
    const { crawl, totalsAt } = before
      ? await update(before, record)
      : { crawl: await openCrawl(id, record, { registry, elapsed, tally }), totalsAt: elapsed() };
    const loadedAt = refreshes.get(id) === refreshed ? readAt : Number.NEGATIVE_INFINITY;
    known.set(id, { loadedAt, record, crawl, totalsAt });
    return crawl;
  }

  /** Parses only changed fields: this is called every two seconds. */
  async function update({ crawl, record: old, totalsAt }: Known, record: CrawlRecord) {
    const { id, budget } = crawl;
    const isConfigured = JSON.stringify(old.config) !== JSON.stringify(record.config);
    const config = isConfigured ? parseStoredConfig(record.config) : crawl.config;
    const isListed = old.sites?.id !== record.sites?.id;
    const sites = isListed ? await sitesOf(registry, id, record) : crawl.sites;
    const configOf = isConfigured || isListed ? createHostConfigs(config, sites) : crawl.configOf;
    const isWidened = isListed || old.scopeSeeds.length !== record.scopeSeeds.length;
    const scope = isConfigured || isWidened ? createScope(config, record.scopeSeeds, sites) : crawl.scope;
    const isStale = (registry.isShared || budget.isInDoubt()) && elapsed() - totalsAt >= TOTALS_AGE_MS;
    if (isStale || isConfigured) await budget.refresh(config, () => registry.totals(id));
    return {
      // The URL rules stay: under others, known URLs would be new ones.
      crawl: { ...crawl, config, sites, configOf, scope, ...stateOf(record) },
      totalsAt: isStale ? elapsed() : totalsAt,
    };
  }

  return {
    fresh: (id) => freshOf(known.get(id), elapsed()),
    async get(id) {
      const refreshed = refreshes.get(id);
      for (;;) {
        const loaded = freshOf(known.get(id), elapsed());
        if (loaded) return loaded;
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
    forget(id) {
      known.delete(id);
      refreshes.delete(id);
    },
    known: () => [...known.values()].map(({ crawl }) => crawl),
  };
}

interface Opening {
  readonly registry: CrawlRegistry;
  readonly elapsed: () => number;
  readonly tally: Tally | undefined;
}

/** The crawl of a record that this process has not met before. */
async function openCrawl(
  id: CrawlId,
  record: CrawlRecord,
  { registry, elapsed, tally }: Opening,
): Promise<Crawl> {
  const { scopeSeeds } = record;
  const config = parseStoredConfig(record.config);
  const shared = { isShared: registry.isShared, tally };
  const budget = createBudget(config, await registry.totals(id), elapsed, shared);
  const nameOf = createUrlRules(config.urlRules);
  const sites = await sitesOf(registry, id, record);
  return {
    id,
    config,
    sites,
    configOf: createHostConfigs(config, sites),
    budget,
    scope: createScope(config, scopeSeeds, sites),
    ...stateOf(record),
    dedupeFrom: record.dedupeFrom?.[0],
    nameOf,
  };
}

const stateOf = (record: CrawlRecord): Pick<Crawl, 'status' | 'reason' | 'resumes'> => ({
  status: record.status,
  reason: reasonIn(record),
  resumes: record.resumes ?? 0,
});

/** The sites of a crawl as its record has them; undefined for one without. */
export async function sitesOf(
  registry: Pick<CrawlRegistry, 'readSites'>,
  crawl: CrawlId,
  { sites }: Pick<CrawlRecord, 'sites'>,
): Promise<Sites | undefined> {
  return sites && new Sites(await registry.readSites(crawl, sites));
}

/** The URLs that a crawl began with, and those that were added: its scope is drawn around them. */
export async function allSeeds(
  registry: Pick<CrawlRegistry, 'readSites'>,
  crawl: CrawlId,
  record: Pick<CrawlRecord, 'scopeSeeds' | 'sites'>,
): Promise<readonly string[]> {
  const sites = await sitesOf(registry, crawl, record);
  return sites ? [...new Set([...record.scopeSeeds, ...sites.urls])] : record.scopeSeeds;
}
