import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CrawlOptions } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { withoutFormer } from '../../core/crawl/former-settings.ts';
import type { Site, SitesRef } from '../../core/crawl/sites.ts';
import type { Head } from '../../core/frontier/head.ts';
import { withFirstPass } from '../../crawler/crawl-state/first-pass.ts';
import { meetsCondition } from '../../crawler/crawl-state/status-condition.ts';
import { boundMethods } from '../../crawler/ports/bound-methods.ts';
import type {
  CrawlRecord,
  CrawlRegistry,
  CrawlTotals,
  FirstPass,
} from '../../crawler/ports/crawl-registry.ts';
import { inTransaction } from './database.ts';
import { ScopeSeeds } from './scope-seeds.ts';
import { keepSites, readSites, storeSites } from './site-lists.ts';
import { addSums, NO_SUMS, replaceHead, type Sums } from './sums.ts';

/**
 * The use of the folder of an earlier crawl: its payloads are not stored again, or its responses are used instead of
 * asking the sites.
 */
type FolderUse = 'dedupeFrom' | 'cache';

export interface LocalCrawlRegistry extends CrawlRegistry {
  /**
   * When the first host is due, if until then there is nothing to do: no message, and no URL that waits for its first
   * fetch but for the hours of its host, or because that has had its pages. Undefined if there is. The sums of several threads lag: ask for some time.
   * `isFull`: the crawl has had its pages, so of what waits only requisites are fetched.
   */
  nextDueAt(crawl: CrawlId, now: number, isFull?: boolean): number | undefined;

  /** Whether each host with work rests because it refuses the crawler. Also true if there is none. Looks at all heads. */
  waitsForRefusalsOnly(crawl: CrawlId): boolean;
  /** Call it for every head that is replaced. */
  onCommit(crawl: CrawlId, before: Head | undefined, after: Head): void;
  /** Returns the sums over the crawl's heads. */
  sums(crawl: CrawlId): Sums;
  /**
   * From now on the crawl's totals are those of `read` plus the commits made here: other threads commit, and report how
   * much.
   */
  followSums(crawl: CrawlId, read: () => Sums): void;
  /** Keeps the folder of an earlier crawl, for those who continue; forgets it if there is none. */
  keepFolder(use: FolderUse, folder: string | undefined): void;
  keptFolder(use: FolderUse): string | undefined;
  /** Keeps the mark of the user who made the settings (`folder-trust.ts`). */
  keepMark(mark: string | undefined): void;
  keptMark(): string | undefined;
  /** Adds to the time that the crawl has run. */
  addActiveMs(crawl: CrawlId, ms: number): void;
  /** The folder's crawls. */
  list(): CrawlId[];
}

/**
 * Crawls in SQLite; their totals summed up from the heads when first requested, and kept up from then on.
 * Seeds on their way (`seedsWaiting`) count as waiting URLs.
 */
export const createRegistry = (
  database: DatabaseSync,
  hasMessages: (requisitesOnly: boolean) => boolean,
  seedsWaiting: () => number = () => 0,
): LocalCrawlRegistry => ({
  isShared: false,
  ...boundMethods<Omit<LocalCrawlRegistry, 'isShared'>>(
    new SqliteRegistry(database, hasMessages, seedsWaiting),
  ),
});

class SqliteRegistry implements Omit<LocalCrawlRegistry, 'isShared'> {
  readonly #database: DatabaseSync;
  readonly #hasMessages: (requisitesOnly: boolean) => boolean;
  readonly #seedsWaiting: () => number;
  readonly #select: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #addActive: StatementSync;
  readonly #anyDue: StatementSync;
  readonly #firstDue: StatementSync;
  readonly #anyAwaited: StatementSync;
  readonly #anyNotRefusing: StatementSync;
  readonly #selectHeads: StatementSync;
  readonly #seeds = new Map<CrawlId, ScopeSeeds>();
  readonly #sums = new Map<CrawlId, () => Sums>();
  /** Crawls whose sums other threads report, and the sums committed here besides: by the router, heads of domains. */
  readonly #followed = new Map<CrawlId, { own: Sums }>();

  constructor(
    database: DatabaseSync,
    hasMessages: (requisitesOnly: boolean) => boolean,
    seedsWaiting: () => number,
  ) {
    this.#database = database;
    this.#hasMessages = hasMessages;
    this.#seedsWaiting = seedsWaiting;
    this.#select = database.prepare('SELECT record, active_ms AS activeMs FROM crawls WHERE crawl = ?');
    this.#insert = database.prepare(
      'INSERT INTO crawls (crawl, record, started_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#update = database.prepare('UPDATE crawls SET record = ? WHERE crawl = ?');
    this.#addActive = database.prepare('UPDATE crawls SET active_ms = active_ms + ? WHERE crawl = ?');
    this.#anyDue = database.prepare('SELECT 1 FROM heads WHERE crawl = ? AND due_at IS NOT NULL LIMIT 1');
    this.#firstDue = database.prepare(
      'SELECT min(due_at) AS due_at FROM heads WHERE crawl = ? AND due_at IS NOT NULL',
    );
    this.#anyAwaited = database.prepare(
      `SELECT 1 FROM heads WHERE crawl = ? AND head ->> '$.totals.requisites.awaited' > 0 LIMIT 1`,
    );
    this.#anyNotRefusing = database.prepare(
      `SELECT 1 FROM heads WHERE crawl = ? AND due_at IS NOT NULL AND head ->> '$.wait.for' IS NOT 'refusal' LIMIT 1`,
    );
    this.#selectHeads = database.prepare('SELECT head FROM heads WHERE crawl = ?');
  }

  async load(crawl: CrawlId): Promise<CrawlRecord | undefined> {
    return this.#load(crawl);
  }

  #load(crawl: CrawlId): CrawlRecord | undefined {
    const row = this.#select.get(crawl) as { record: string } | undefined;
    return row && withoutFormer(this.#seedsOf(crawl).joined(JSON.parse(row.record)));
  }

  #seedsOf(crawl: CrawlId): ScopeSeeds {
    const name = `scopeSeeds ${crawl}`;
    const text = { keep: (value: string) => this.#keep(name, value), kept: () => this.#kept(name) };
    const seeds = this.#seeds.get(crawl) ?? new ScopeSeeds(text);
    this.#seeds.set(crawl, seeds);
    return seeds;
  }

  async create(crawl: CrawlId, record: CrawlRecord): Promise<void> {
    inTransaction(this.#database, () => {
      if (this.#select.get(crawl)) throw new Error(`there is a crawl ${crawl} already`);
      this.#insert.run(crawl, JSON.stringify(this.#seedsOf(crawl).apart(record)), Date.now());
    });
  }

  async setStatus(
    ...[crawl, status, reason, condition]: Parameters<CrawlRegistry['setStatus']>
  ): Promise<boolean> {
    let isSet = false;
    this.#change(crawl, (record) => {
      isSet = meetsCondition(record, condition);
      return isSet ? { ...record, status, why: reason } : record;
    });
    return isSet;
  }

  async resume(crawl: CrawlId): Promise<number> {
    let resumes = 0;
    this.#change(crawl, (record) => {
      resumes = (record.resumes ?? 0) + 1;
      return { ...record, status: 'running', why: undefined, resumes };
    });
    return resumes;
  }

  async configure(crawl: CrawlId, changes: CrawlOptions): Promise<void> {
    this.#change(crawl, (record) => ({ ...record, config: { ...record.config, ...changes } }));
  }

  async addScopeSeeds(crawl: CrawlId, urls: readonly string[]): Promise<void> {
    this.#change(crawl, (record) => ({
      ...record,
      scopeSeeds: withSeeds(record.scopeSeeds, urls),
    }));
  }

  async storeSites(crawl: CrawlId, sites: readonly Site[]): Promise<SitesRef> {
    return storeSites(this.#database, crawl, sites);
  }

  async setSites(crawl: CrawlId, sites: SitesRef): Promise<void> {
    const before = this.#load(crawl)?.sites;
    this.#change(crawl, (record) => ({ ...record, sites }));
    if (before?.id !== sites.id) keepSites(this.#database, crawl, sites, before);
  }

  async readSites(crawl: CrawlId, sites: SitesRef): Promise<readonly Site[]> {
    return readSites(this.#database, crawl, sites);
  }

  async noteFirstPass(crawl: CrawlId, noted: FirstPass): Promise<void> {
    this.#change(crawl, (record) => withFirstPass(record, noted));
  }

  async setUrlRulesVersion(crawl: CrawlId, urlRulesVersion: number): Promise<void> {
    this.#change(crawl, (record) => ({ ...record, urlRulesVersion }));
  }

  #change(crawl: CrawlId, changes: (record: CrawlRecord) => CrawlRecord): void {
    // Threads, and `strand add`, change records, too.
    inTransaction(this.#database, () => {
      const record = this.#load(crawl);
      if (!record) throw new Error(`there is no crawl ${crawl}`);
      this.#update.run(JSON.stringify(this.#seedsOf(crawl).apart(changes(record))), crawl);
    });
  }

  async totals(crawl: CrawlId): Promise<CrawlTotals> {
    const { hosts, hostsWaiting, hostsClosed, givenUp, urls, totals } = this.sums(crawl);
    const { activeMs } = (this.#select.get(crawl) ?? { activeMs: 0 }) as { activeMs: number };
    return {
      ...totals,
      hosts,
      hostsWaiting,
      ...(givenUp.hosts > 0 && { givenUp }),
      ...(hostsClosed > 0 && { hostsClosed }),
      urls: { ...urls, waiting: urls.waiting + this.#seedsWaiting() },
      activeMs,
    };
  }

  async isQuiet(crawl: CrawlId, requisitesOnly = false): Promise<boolean> {
    // The sums may lag behind the heads, which take longer to look through.
    if (requisitesOnly && (this.sums(crawl).totals.requisites?.awaited ?? 0) > 0) return false;
    if (this.#hasMessages(requisitesOnly)) return false;
    if (requisitesOnly) return this.#anyAwaited.get(crawl) === undefined;
    // The record last: it holds all seeds, and this is asked ten times a second.
    return this.#anyDue.get(crawl) === undefined || this.#load(crawl)?.status !== 'running';
  }

  nextDueAt(crawl: CrawlId, now: number, isFull = false): number | undefined {
    const { hostsWaiting, hostsClosed, hostsFull } = this.sums(crawl);
    const hasWork = isFull
      ? this.#anyAwaited.get(crawl) !== undefined
      : hostsWaiting > hostsClosed + hostsFull;
    if (hasWork || this.#hasMessages(false)) return undefined;
    const { due_at: dueAt } = this.#firstDue.get(crawl) as { due_at: number | null };
    return dueAt !== null && dueAt > now ? dueAt : undefined;
  }

  waitsForRefusalsOnly(crawl: CrawlId): boolean {
    return this.#anyNotRefusing.get(crawl) === undefined;
  }

  onCommit(crawl: CrawlId, before: Head | undefined, after: Head): void {
    const followed = this.#followed.get(crawl);
    if (followed) followed.own = replaceHead(followed.own, before, after);
    const sum = followed ? undefined : this.#sums.get(crawl)?.();
    if (!sum) return;
    const next = replaceHead(sum, before, after);
    this.#sums.set(crawl, () => next);
  }

  sums(crawl: CrawlId): Sums {
    const known = this.#sums.get(crawl)?.();
    if (known) return known;
    let sum = NO_SUMS;
    for (const { head } of this.#selectHeads.iterate(crawl))
      sum = replaceHead(sum, undefined, JSON.parse(head as string));
    this.#sums.set(crawl, () => sum);
    return sum;
  }

  followSums(crawl: CrawlId, read: () => Sums): void {
    const followed = { own: NO_SUMS };
    this.#followed.set(crawl, followed);
    this.#sums.set(crawl, () => addSums(read(), followed.own));
  }

  keepFolder(use: FolderUse, folder: string | undefined): void {
    this.#keep(use, folder);
  }

  keptFolder(use: FolderUse): string | undefined {
    return this.#kept(use);
  }

  keepMark(mark: string | undefined): void {
    this.#keep('mark', mark);
  }

  keptMark(): string | undefined {
    return this.#kept('mark');
  }

  #keep(name: string, value: string | undefined): void {
    if (value === undefined) this.#database.prepare('DELETE FROM sessions WHERE name = ?').run(name);
    else this.#database.prepare('INSERT OR REPLACE INTO sessions VALUES (?, ?)').run(name, value);
  }

  #kept(name: string): string | undefined {
    if (!this.#database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sessions'").get())
      return undefined;
    const row = this.#database.prepare('SELECT value FROM sessions WHERE name = ?').get(name);
    return row?.value as string | undefined;
  }

  addActiveMs(crawl: CrawlId, ms: number): void {
    this.#addActive.run(Math.round(ms), crawl);
  }

  list(): CrawlId[] {
    const rows = this.#database.prepare('SELECT crawl FROM crawls').all();
    return rows.map(({ crawl }) => crawl as string);
  }
}

/** Returns the list itself if it has all URLs. */
function withSeeds(seeds: readonly string[], urls: readonly string[]): readonly string[] {
  const all = new Set([...seeds, ...urls]);
  return all.size === seeds.length ? seeds : [...all];
}
