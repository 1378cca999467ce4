import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { Head } from '../../core/frontier/head.ts';
import type { SitePass } from '../../core/frontier/site-pass.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { StateChange } from './shared-state.ts';

/**
 * Where heads and the parts of ledgers (segments, runs, long robots rules) are kept, by crawl and host. Parts
 * are immutable; a head names those that count. If a head may come to name a part, the part's writer chooses
 * a name that no other attempt uses (see `frontier/ledger.ts`).
 */
export interface LedgerStore {
  /** The host's head, or undefined for a host never met. Reads its own writes. */
  loadHead(crawl: CrawlId, host: HostKey): Promise<Head | undefined>;
  /**
   * Replaces the head if the stored version is still `next.version - 1` (0: no head yet). Otherwise throws
   * `StaleTurn`. The one write that makes a turn real. `changes`, in their order, are made with it or not at all; only
   * where the engine has the port `state`.
   */
  commit(crawl: CrawlId, host: HostKey, next: Head, changes?: readonly StateChange[]): Promise<void>;
  /**
   * Stores the head of a host of a crawl that is copied here and does not run, at its own version, over none, or over one
   * of that version or an earlier one. Otherwise throws `StaleTurn`. Its parts are here already.
   */
  importHead(crawl: CrawlId, host: HostKey, head: Head): Promise<void>;
  /** Stores a part; durable before it resolves. Repeating it with the same bytes is safe. */
  putPart(crawl: CrawlId, host: HostKey, name: string, bytes: Uint8Array): Promise<void>;
  /**
   * The part's bytes, or `length` bytes from `offset`. Throws `LostPart` if it is not there: a part that a head
   * names always is, unless somebody else has deleted it.
   */
  readPart(
    crawl: CrawlId,
    host: HostKey,
    name: string,
    offset?: number,
    length?: number,
  ): Promise<Uint8Array>;
  /** Names of all the host's parts, in any order. */
  listParts(crawl: CrawlId, host: HostKey): Promise<string[]>;
  deleteParts(crawl: CrawlId, host: HostKey, names: readonly string[]): Promise<void>;
  /**
   * Every host of the crawl with its head, and the heads of registrable domains (`Head.domain`), which are not hosts; a
   * snapshot is not promised.
   */
  hosts(crawl: CrawlId): AsyncIterable<{ readonly host: HostKey; readonly head: Head }>;
  /**
   * Up to `limit` hosts whose head's `dueAt` has come, the longest due first; then those whose `dueAt` is
   * later than `farAfter`: only a clock that was wrong can have set it. Default: none of these.
   */
  dueHosts(
    crawl: CrawlId,
    now: number,
    limit: number,
    farAfter?: number,
  ): Promise<{ host: HostKey; version: number }[]>;
  /**
   * The hosts of the crawl's sites with the last pass over each, in any order; a pass that has begun or ended since may be
   * missing for a moment. Costs less than reading their heads.
   */
  sitePasses(crawl: CrawlId): AsyncIterable<HostPass>;
}

export interface HostPass {
  readonly host: HostKey;
  readonly pass: SitePass;
}
