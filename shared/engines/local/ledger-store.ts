import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { type Head, parseHead } from '../../core/frontier/head.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import { boundMethods } from '../../crawler/ports/bound-methods.ts';
import type { LedgerStore } from '../../crawler/ports/ledger-store.ts';
import { StaleTurn } from '../../crawler/ports/stale-turn.ts';
import { PartStore } from './part-store.ts';

type OnCommit = (crawl: CrawlId, before: Head | undefined, after: Head) => void;

/** Where a head is stored, in words. */
export const placeOfHead = (host: HostKey): string => `crawl.sqlite, table heads, host ${host},`;

/**
 * Heads and parts in SQLite, large parts as files in `folder`, if there is one. `onCommit` is called for each head that was
 * replaced, so that the crawl's totals need no reading.
 */
export const createLedgerStore = (
  database: DatabaseSync,
  folder: string | undefined,
  onCommit: OnCommit = () => {},
): LedgerStore => ({
  ...boundMethods(new HeadStore(database, onCommit)),
  ...boundMethods(new PartStore(database, folder)),
});

/** The methods of the ledger store that are about heads. */
class HeadStore {
  readonly #onCommit: OnCommit;
  readonly #select: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #import: StatementSync;
  readonly #selectHosts: StatementSync;
  readonly #selectPasses: StatementSync;
  readonly #selectDue: StatementSync;
  readonly #selectFarDue: StatementSync;

  constructor(database: DatabaseSync, onCommit: OnCommit) {
    this.#onCommit = onCommit;
    this.#select = database.prepare('SELECT head FROM heads WHERE crawl = ? AND host = ?');
    this.#insert = database.prepare(
      'INSERT INTO heads (crawl, host, version, due_at, head) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#update = database.prepare(
      'UPDATE heads SET version = ?, due_at = ?, head = ? WHERE crawl = ? AND host = ? AND version = ?',
    );
    this.#import = database.prepare(
      `INSERT INTO heads (crawl, host, version, due_at, head) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET version = excluded.version, due_at = excluded.due_at, head = excluded.head
       WHERE version <= excluded.version`,
    );
    this.#selectHosts = database.prepare(
      'SELECT host, head FROM heads WHERE crawl = ? AND host > ? ORDER BY host LIMIT 500',
    );
    this.#selectPasses = database.prepare(
      `SELECT host, head ->> '$.site' AS pass FROM heads WHERE crawl = ? AND pass IS NOT NULL`,
    );
    // Two statements: for one with OR, SQLite reads all heads, once a second.
    this.#selectDue = database.prepare(
      'SELECT host, version FROM heads WHERE crawl = ? AND due_at <= ? ORDER BY due_at LIMIT ?',
    );
    this.#selectFarDue = database.prepare(
      'SELECT host, version FROM heads WHERE crawl = ? AND due_at > ? ORDER BY due_at LIMIT ?',
    );
  }

  async loadHead(crawl: CrawlId, host: HostKey): Promise<Head | undefined> {
    return this.#load(crawl, host);
  }

  #load(crawl: CrawlId, host: HostKey): Head | undefined {
    const row = this.#select.get(crawl, host) as { head: string } | undefined;
    return row && parseHead(row.head, placeOfHead(host));
  }

  async commit(crawl: CrawlId, host: HostKey, next: Head): Promise<void> {
    const before = this.#load(crawl, host);
    const text = JSON.stringify(next);
    const { changes } =
      next.version === 1
        ? this.#insert.run(crawl, host, next.version, next.dueAt ?? null, text)
        : this.#update.run(next.version, next.dueAt ?? null, text, crawl, host, next.version - 1);
    if (changes === 0)
      throw new StaleTurn(
        `${host} is at version ${before?.version}, not ${next.version - 1}: another turn went first`,
      );
    this.#onCommit(crawl, before, next);
  }

  async importHead(crawl: CrawlId, host: HostKey, head: Head): Promise<void> {
    const before = this.#load(crawl, host);
    const { version, dueAt = null } = head;
    if (this.#import.run(crawl, host, version, dueAt, JSON.stringify(head)).changes === 0)
      throw new StaleTurn(`${host} is at version ${before?.version}, and was to be imported at ${version}`);
    this.#onCommit(crawl, before, head);
  }

  async *hosts(crawl: CrawlId): ReturnType<LedgerStore['hosts']> {
    for (let last = ''; ; ) {
      const rows = this.#selectHosts.all(crawl, last) as { host: string; head: string }[];
      for (const { host, head } of rows) yield { host, head: parseHead(head, placeOfHead(host)) };
      if (rows.length === 0) return;
      last = (rows.at(-1) as { host: string }).host;
    }
  }

  async *sitePasses(crawl: CrawlId): ReturnType<LedgerStore['sitePasses']> {
    for (const { host, pass } of this.#selectPasses.all(crawl) as { host: string; pass: string }[])
      yield { host, pass: JSON.parse(pass) };
  }

  async dueHosts(
    ...[crawl, now, limit, farAfter = Number.MAX_SAFE_INTEGER]: Parameters<LedgerStore['dueHosts']>
  ): Promise<{ host: HostKey; version: number }[]> {
    const due = this.#selectDue.all(crawl, now, limit);
    const far = this.#selectFarDue.all(crawl, Math.max(now, farAfter), limit - due.length);
    return [...due, ...far] as { host: string; version: number }[];
  }
}
