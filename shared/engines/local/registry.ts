import type { DatabaseSync } from 'node:sqlite';
import { addTotals, type Head, type HostTotals, NO_TOTALS } from '../../frontier/head.ts';
import { EMPTY_INDEX } from '../../frontier/ledger.ts';
import { URL_STATES, type UrlState } from '../../frontier/url-record.ts';
import type { CrawlId, CrawlRecord, CrawlRegistry, CrawlTotals } from '../../ports.ts';

interface Sums {
  hosts: number;
  hostsWaiting: number;
  urls: Record<UrlState, number>;
  totals: HostTotals;
}

export interface LocalCrawlRegistry extends CrawlRegistry {
  /** To be told of every head that is replaced. */
  onCommit(crawl: CrawlId, before: Head | undefined, after: Head): void;
  /** Adds to the time that the crawl has run. */
  addActiveMs(crawl: CrawlId, ms: number): void;
  /** The folder's crawls. */
  list(): CrawlId[];
}

/** Crawls in SQLite; their totals summed up from the heads when first asked for, and kept up from then on. */
export function createRegistry(database: DatabaseSync, hasMessages: () => boolean): LocalCrawlRegistry {
  const select = database.prepare('SELECT record, active_ms AS activeMs FROM crawls WHERE crawl = ?');
  const insert = database.prepare(
    'INSERT INTO crawls (crawl, record, started_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const update = database.prepare('UPDATE crawls SET record = ? WHERE crawl = ?');
  const addActive = database.prepare('UPDATE crawls SET active_ms = active_ms + ? WHERE crawl = ?');
  const anyDue = database.prepare('SELECT 1 FROM heads WHERE crawl = ? AND due_at IS NOT NULL LIMIT 1');
  const selectHeads = database.prepare('SELECT head FROM heads WHERE crawl = ?');
  const sums = new Map<CrawlId, Sums>();

  const load = (crawl: CrawlId): CrawlRecord | undefined => {
    const row = select.get(crawl) as { record: string } | undefined;
    return row && JSON.parse(row.record);
  };

  function change(crawl: CrawlId, changes: (record: CrawlRecord) => CrawlRecord): void {
    const record = load(crawl);
    if (!record) throw new Error(`there is no crawl ${crawl}`);
    update.run(JSON.stringify(changes(record)), crawl);
  }

  function sumsOf(crawl: CrawlId): Sums {
    let sum = sums.get(crawl);
    if (!sum) {
      sum = { hosts: 0, hostsWaiting: 0, urls: { ...EMPTY_INDEX.counts }, totals: NO_TOTALS };
      for (const { head } of selectHeads.iterate(crawl)) add(sum, undefined, JSON.parse(head as string));
      sums.set(crawl, sum);
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
      return { ...totals, hosts, hostsWaiting, urls: { ...urls }, activeMs };
    },
    async isQuiet(crawl) {
      if (hasMessages()) return false;
      // The record last: it holds all seeds, and this is asked ten times a second.
      return anyDue.get(crawl) === undefined || load(crawl)?.status !== 'running';
    },
    onCommit(crawl, before, after) {
      const sum = sums.get(crawl);
      if (sum) add(sum, before, after);
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

function add(sum: Sums, before: Head | undefined, after: Head): void {
  if (!before) sum.hosts++;
  sum.hostsWaiting += hasWaiting(after) - hasWaiting(before);
  for (const state of URL_STATES)
    sum.urls[state] += after.ledger.counts[state] - (before?.ledger.counts[state] ?? 0);
  sum.totals = addTotals(sum.totals, after.totals);
  if (before) sum.totals = addTotals(sum.totals, negative(before.totals));
}

const hasWaiting = (head: Head | undefined): number => (head && head.ledger.counts.waiting > 0 ? 1 : 0);

function negative(totals: HostTotals): HostTotals {
  const counts = (of: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(of).map(([key, count]) => [key, -count]));
  return {
    pages: -totals.pages,
    bytes: -totals.bytes,
    requests: -totals.requests,
    httpStatus: counts(totals.httpStatus),
    skipped: counts(totals.skipped),
    errors: counts(totals.errors),
  };
}
