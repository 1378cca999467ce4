import type { DatabaseSync } from 'node:sqlite';
import type { CrawlId } from '../../crawl/crawl-id.ts';
import type { Head } from '../../frontier/head.ts';
import type { CrawlRecord, CrawlRegistry, CrawlTotals } from '../../ports/crawl-registry.ts';
import { inTransaction } from './database.ts';
import { NO_SUMS, replaceHead, type Sums } from './sums.ts';

export interface LocalCrawlRegistry extends CrawlRegistry {
  /** Call it for every head that is replaced. */
  onCommit(crawl: CrawlId, before: Head | undefined, after: Head): void;
  /** What the crawl's heads add up to. */
  sums(crawl: CrawlId): Sums;
  /** From now on the crawl's totals are what `read` gives: others commit, and report how much. */
  followSums(crawl: CrawlId, read: () => Sums): void;
  /** The crawl is known by this version of the rules for canonical URLs from now on. */
  setUrlRulesVersion(crawl: CrawlId, version: number): void;
  /** Keeps the folder of the earlier crawl whose payloads are not stored again, for those who go on. */
  keepDedupeFrom(folder: string): void;
  dedupeFrom(): string | undefined;
  /** Adds to the time that the crawl has run. */
  addActiveMs(crawl: CrawlId, ms: number): void;
  /** The folder's crawls. */
  list(): CrawlId[];
}

/**
 * Crawls in SQLite; their totals summed up from the heads when first asked for, and kept up from then on.
 * Seeds on their way (`seedsWaiting`) count as waiting URLs.
 */
export function createRegistry(
  database: DatabaseSync,
  hasMessages: (requisitesOnly: boolean) => boolean,
  seedsWaiting: () => number = () => 0,
): LocalCrawlRegistry {
  const select = database.prepare('SELECT record, active_ms AS activeMs FROM crawls WHERE crawl = ?');
  const insert = database.prepare(
    'INSERT INTO crawls (crawl, record, started_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const update = database.prepare('UPDATE crawls SET record = ? WHERE crawl = ?');
  const addActive = database.prepare('UPDATE crawls SET active_ms = active_ms + ? WHERE crawl = ?');
  const anyDue = database.prepare('SELECT 1 FROM heads WHERE crawl = ? AND due_at IS NOT NULL LIMIT 1');
  const anyAwaited = database.prepare(
    `SELECT 1 FROM heads WHERE crawl = ? AND head ->> '$.totals.requisites.awaited' > 0 LIMIT 1`,
  );
  const selectHeads = database.prepare('SELECT head FROM heads WHERE crawl = ?');
  const sums = new Map<CrawlId, () => Sums>();

  const load = (crawl: CrawlId): CrawlRecord | undefined => {
    const row = select.get(crawl) as { record: string } | undefined;
    return row && JSON.parse(row.record);
  };

  function change(crawl: CrawlId, changes: (record: CrawlRecord) => CrawlRecord): void {
    // Threads, and `strand add`, change records, too.
    inTransaction(database, () => {
      const record = load(crawl);
      if (!record) throw new Error(`there is no crawl ${crawl}`);
      update.run(JSON.stringify(changes(record)), crawl);
    });
  }

  function sumsOf(crawl: CrawlId): Sums {
    let sum = sums.get(crawl)?.();
    if (!sum) {
      sum = NO_SUMS;
      for (const { head } of selectHeads.iterate(crawl))
        sum = replaceHead(sum, undefined, JSON.parse(head as string));
      const read = sum;
      sums.set(crawl, () => read);
    }
    return sum;
  }

  return {
    isShared: false,
    async load(crawl) {
      return load(crawl);
    },
    async create(crawl, record) {
      if (insert.run(crawl, JSON.stringify(record), Date.now()).changes === 0)
        throw new Error(`there is a crawl ${crawl} already`);
    },
    async setStatus(crawl, status, reason, condition) {
      let isSet = false;
      change(crawl, (record) => {
        isSet = condition?.from.includes(record.status) ?? true;
        return isSet ? { ...record, status, reason } : record;
      });
      return isSet;
    },
    async configure(crawl, changes) {
      change(crawl, (record) => ({ ...record, config: { ...record.config, ...changes } }));
    },
    async addScopeSeeds(crawl, urls) {
      change(crawl, (record) => ({ ...record, scopeSeeds: [...new Set([...record.scopeSeeds, ...urls])] }));
    },
    async totals(crawl): Promise<CrawlTotals> {
      const { hosts, hostsWaiting, urls, totals } = sumsOf(crawl);
      const { activeMs } = (select.get(crawl) ?? { activeMs: 0 }) as { activeMs: number };
      return {
        ...totals,
        hosts,
        hostsWaiting,
        urls: { ...urls, waiting: urls.waiting + seedsWaiting() },
        activeMs,
      };
    },
    async isQuiet(crawl, requisitesOnly = false) {
      // The sums may lag behind the heads, which take longer to look through.
      if (requisitesOnly && (sumsOf(crawl).totals.requisites?.awaited ?? 0) > 0) return false;
      if (hasMessages(requisitesOnly)) return false;
      if (requisitesOnly) return anyAwaited.get(crawl) === undefined;
      // The record last: it holds all seeds, and this is asked ten times a second.
      return anyDue.get(crawl) === undefined || load(crawl)?.status !== 'running';
    },
    onCommit(crawl, before, after) {
      const sum = sums.get(crawl)?.();
      if (!sum) return;
      const next = replaceHead(sum, before, after);
      sums.set(crawl, () => next);
    },
    sums: sumsOf,
    followSums(crawl, read) {
      sums.set(crawl, read);
    },
    setUrlRulesVersion(crawl, urlRulesVersion) {
      change(crawl, (record) => ({ ...record, urlRulesVersion }));
    },
    keepDedupeFrom(folder) {
      database.prepare("INSERT OR REPLACE INTO sessions VALUES ('dedupeFrom', ?)").run(folder);
    },
    dedupeFrom() {
      if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sessions'").get()) return undefined;
      const row = database.prepare("SELECT value FROM sessions WHERE name = 'dedupeFrom'").get();
      return row?.value as string | undefined;
    },
    addActiveMs(crawl, ms) {
      addActive.run(Math.round(ms), crawl);
    },
    list: () =>
      database
        .prepare('SELECT crawl FROM crawls')
        .all()
        .map(({ crawl }) => crawl as string),
  };
}
