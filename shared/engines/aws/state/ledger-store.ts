import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import { type Sizes, sizesOf } from '../../../core/base/sizes.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Head } from '../../../core/frontier/head.ts';
import { noteOf } from '../../../core/frontier/site-pass.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import { boundMethods } from '../../../crawler/ports/bound-methods.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { LedgerStore } from '../../../crawler/ports/ledger-store.ts';
import type { StateChange } from '../../../crawler/ports/shared-state.ts';
import { StaleTurn } from '../../../crawler/ports/stale-turn.ts';
import { getItems } from '../table/batch.ts';
import { type Item, itemKey, N, S } from '../table/item.ts';
import { queryIndex } from '../table/query.ts';
import { type Condition, getItem, putItem, type Table, type Written } from '../table/table.ts';
import type { HookState } from './hook-state.ts';
import { HostList } from './host-list.ts';
import { entryOf, type HostPage, headIn } from './host-page.ts';
import { createPartStore } from './part-store.ts';
import type { HeadPut } from './state-commits.ts';
import {
  allDueShards,
  DUE_AT,
  DUE_INDEX,
  DUE_SHARD,
  dueShardOf,
  dueShardsOf,
  HEAD,
  hostPartition,
  indexedDueAt,
  indexedUntil,
  replacing,
  replacingUpTo,
  type StateNames,
} from './tables.ts';

export interface LedgerStoreOptions {
  readonly dynamo: DynamoDBClient;
  readonly s3: S3Client;
  readonly names: StateNames;
  readonly clock: Clock;
  readonly sizes?: Sizes;
  /** Changes of the state of hooks are committed by it. Default: there are none. */
  readonly state?: Pick<HookState, 'change'>;
  /** Called before a head is committed, with the time at which its host is due. What it throws, `commit` throws. */
  readonly ensureDue?: (crawl: CrawlId, dueAt: number) => Promise<void>;
  /** Called for each head that was replaced, before `commit` resolves. What it throws, `commit` throws. */
  readonly onCommit?: (crawl: CrawlId, before: Head | undefined, after: Head) => Promise<void>;
}

/** The hosts that are due, and when to look again. */
export interface DueHosts {
  readonly hosts: { readonly host: HostKey; readonly version: number }[];
  /** The earliest time at which a further host may be due; none: no other host of the crawl has a due time. */
  readonly nextAt?: number;
}

export interface AwsLedgerStore extends LedgerStore {
  /** As `dueHosts`, with the due time of the next hosts. */
  due(...asked: Parameters<LedgerStore['dueHosts']>): Promise<DueHosts>;
  /**
   * Like `hosts`, page by page, for callers whose time may end before: from the beginning without a cursor, on from
   * there with the cursor that the page before gave. At most `limit` hosts, and perhaps fewer or none, as a call looks
   * at some thousands of items at most; the last page has no cursor. Throws for an invalid cursor.
   */
  hostPage(crawl: CrawlId, cursor: string | undefined, limit: number): Promise<HostPage>;
}

/** Items of a shard of the index that are read at first: more are due only where a crawl has many hosts. */
const FEW_DUE = 10;

/**
 * Heads in CrawlState, parts in UrlSeen and S3. A commit is one conditional PutItem, and the head that it
 * replaces comes with the answer. If the condition fails while the stored head is the very one that was to be
 * written, then it was, and only the answer was lost: that is success.
 *
 * `hosts` reads the heads of all hosts of the crawl. `dueHosts` gives an order that is exact among hosts due within the same 15 s while they are some
 * hundreds, and lags behind the commits as the index does, mostly by less than a second; each host it gives
 * is read consistently.
 */
export const createLedgerStore = (options: LedgerStoreOptions): AwsLedgerStore => ({
  ...boundMethods(new HeadStore(options)),
  ...createPartStore({ ...options, maxRowBytes: sizesOf(options).maxRowBytes }),
});

interface HeadWrite {
  readonly condition: Condition;
  /** The changes of the state of hooks that are made with it. */
  readonly changes?: readonly StateChange[];
}

/** The methods of the ledger store that are about heads. */
class HeadStore {
  readonly #options: LedgerStoreOptions;
  readonly #sizes: Sizes;
  readonly #table: Table;
  readonly #dueShards: number;
  readonly #hosts: HostList;
  /** Heads as they were loaded last, the oldest first. */
  readonly #loaded = new Map<string, Head>();

  constructor(options: LedgerStoreOptions) {
    this.#options = options;
    this.#sizes = sizesOf(options);
    const { dynamo, clock, names } = options;
    this.#table = { dynamo, clock, table: names.crawlState };
    this.#dueShards = dueShardsOf(options.names);
    this.#hosts = new HostList({ ...this.#table, sizes: options.sizes });
  }

  async loadHead(crawl: CrawlId, host: HostKey): Promise<Head | undefined> {
    const partition = hostPartition(crawl, host);
    const item = await getItem(this.#table, itemKey(partition, HEAD));
    if (!item) return undefined;
    const head = headIn(item, this.#table.table);
    this.#keepLoaded(partition, head);
    return head;
  }

  #keepLoaded(partition: string, head: Head): void {
    this.#loaded.delete(partition);
    this.#loaded.set(partition, head);
    if (this.#loaded.size <= this.#sizes.maxLoadedHeads) return;
    this.#loaded.delete(this.#loaded.keys().next().value as string);
  }

  /** The head that the host had at that version, if it was loaded here. */
  #takeLoaded(partition: string, version: number): Head | undefined {
    const head = this.#loaded.get(partition);
    this.#loaded.delete(partition);
    return head?.version === version ? head : undefined;
  }

  async commit(
    crawl: CrawlId,
    host: HostKey,
    next: Head,
    changes: readonly StateChange[] = [],
  ): Promise<void> {
    await this.#enter(crawl, host, next);
    if (next.dueAt !== undefined) await this.#options.ensureDue?.(crawl, next.dueAt);
    const before = await this.#put(crawl, host, next, { condition: replacing(next.version - 1), changes });
    await this.#options.onCommit?.(crawl, before, next);
  }

  async importHead(crawl: CrawlId, host: HostKey, head: Head): Promise<void> {
    await (head.site
      ? this.#hosts.enterPass(crawl, host, head.site, head.version)
      : this.#hosts.enter(crawl, host));
    const before = await this.#put(crawl, host, head, { condition: replacingUpTo(head.version) });
    await this.#options.onCommit?.(crawl, before, head);
  }

  /** Enters a new host into the directory, or one of a site whose pass others must know of. */
  async #enter(crawl: CrawlId, host: HostKey, { site, version }: Head): Promise<void> {
    const before = this.#loaded.get(hostPartition(crawl, host));
    const known = before?.version === version - 1 ? noteOf(before.site) : undefined;
    if (site && noteOf(site) !== known) await this.#hosts.enterPass(crawl, host, site, version);
    else if (version === 1) await this.#hosts.enter(crawl, host);
  }

  /** Returns the head that was replaced. */
  async #put(
    crawl: CrawlId,
    host: HostKey,
    next: Head,
    { condition, changes = [] }: HeadWrite,
  ): Promise<Head | undefined> {
    const item = this.#itemOf(crawl, host, next);
    const isOurs = ({ head }: Item) => head?.S === item.head?.S;
    const partition = hostPartition(crawl, host);
    // A transaction does not say what it has replaced.
    if (changes.length > 0 && next.version > 1 && this.#loaded.get(partition)?.version !== next.version - 1)
      await this.loadHead(crawl, host);
    const atHand = this.#takeLoaded(partition, next.version - 1);
    const { isWritten, returned, found } = await this.#send(
      crawl,
      { item, when: { ...condition, isOurs } },
      changes,
    );
    if (!isWritten) {
      const stored = found?.version?.N ?? 'none';
      throw new StaleTurn(
        `${host} is at version ${stored}, not ${next.version - 1}: another turn went first`,
      );
    }
    if (changes.length === 0 && found === undefined) return returned && headIn(returned, this.#table.table);
    // Where the replaced head is not at hand, the difference is not known: then there is none.
    return next.version === 1 ? undefined : (atHand ?? next);
  }

  async #send(crawl: CrawlId, head: HeadPut, changes: readonly StateChange[]): Promise<Written> {
    if (changes.length === 0) return putItem(this.#table, head.item, head.when, 'ALL_OLD');
    const { state } = this.#options;
    if (state === undefined)
      throw new Error('Expected no changes of state: there is nothing to commit them by');
    return state.change(crawl, changes, head);
  }

  #itemOf(crawl: CrawlId, host: HostKey, next: Head): Item {
    return {
      ...itemKey(hostPartition(crawl, host), HEAD),
      version: N(next.version),
      head: S(JSON.stringify(next)),
      ...(next.dueAt !== undefined && {
        dueShard: S(dueShardOf(crawl, host, this.#dueShards)),
        dueAt: N(indexedDueAt(next.dueAt, this.#options.clock.now())),
      }),
    };
  }

  hosts(crawl: CrawlId): ReturnType<LedgerStore['hosts']> {
    return this.#hosts.all(crawl);
  }

  hostPage(crawl: CrawlId, cursor: string | undefined, limit: number): Promise<HostPage> {
    return this.#hosts.page(crawl, cursor, limit);
  }

  sitePasses(crawl: CrawlId): ReturnType<LedgerStore['sitePasses']> {
    return this.#hosts.passes(crawl);
  }

  async dueHosts(...asked: Parameters<LedgerStore['dueHosts']>): ReturnType<LedgerStore['dueHosts']> {
    return (await this.due(...asked)).hosts;
  }

  async due(
    ...[crawl, now, limit, farAfter = Infinity]: Parameters<LedgerStore['dueHosts']>
  ): Promise<DueHosts> {
    const most = limit + this.#sizes.dueSlack;
    const shards = allDueShards(crawl, this.#dueShards);
    const [come, far] = await Promise.all([
      Promise.all(shards.map((shard) => this.#come(shard, indexedUntil(now), most))),
      farAfter < Infinity
        ? Promise.all(shards.map((shard) => this.#indexed(shard, ['>', farAfter], most)))
        : [],
    ]);
    // A host that is due within the index's step after `farAfter` is found twice.
    const unique = new Map(
      [...come.map(({ items }) => items), ...far].flat().map((item) => [item.pk?.S, item]),
    );
    const all = [...unique.values()].sort((a, b) => Number(a.dueAt?.N) - Number(b.dueAt?.N));
    const keys = all.slice(0, most).map(({ pk }) => itemKey(pk?.S as string, HEAD));
    const heads = (await getItems(this.#table, keys)).map((item) => entryOf(item, this.#table.table));
    const isDue = (dueAt: number) => dueAt <= now || dueAt > farAfter;
    const due = heads
      .filter(({ head: { dueAt } }) => dueAt !== undefined && isDue(dueAt))
      .sort((a, b) => (a.head.dueAt as number) - (b.head.dueAt as number));
    // The index rounds up, and may be late: of what it shows a head may say another time, or none.
    const later = heads.flatMap(({ head: { dueAt } }) => (dueAt === undefined || isDue(dueAt) ? [] : dueAt));
    const isMore = due.length > limit || all.length > most;
    const nextAt = Math.min(isMore ? now : Infinity, ...later, ...come.map(({ nextAt }) => nextAt));
    return {
      hosts: due.slice(0, limit).map(({ host, head: { version } }) => ({ host, version })),
      ...(nextAt < Infinity && { nextAt }),
    };
  }

  /** Items of the index's shard up to `until`, and the time of the first one after them: one query where these are few. */
  async #come(shard: string, until: number, limit: number): Promise<{ items: Item[]; nextAt: number }> {
    const few = Math.min(limit, FEW_DUE);
    const first = await this.#indexed(shard, undefined, few);
    const items = first.filter(({ dueAt }) => Number(dueAt?.N) <= until);
    if (items.length < first.length) return { items, nextAt: Number(first[items.length]?.dueAt?.N) };
    if (first.length < few) return { items, nextAt: Infinity };
    // There may be more of them than requested.
    return { items: few === limit ? items : await this.#indexed(shard, ['<=', until], limit), nextAt: until };
  }

  /** Up to `limit` items of the index's shard, those that are due earliest first. */
  async #indexed(
    shard: string,
    bound: readonly ['<=' | '>', number] | undefined,
    limit: number,
  ): Promise<Item[]> {
    const found: Item[] = [];
    const query = queryIndex(this.#table, {
      index: DUE_INDEX,
      partition: [DUE_SHARD, shard],
      bound: bound && [DUE_AT, bound[0], N(bound[1])],
      limit,
    });
    for await (const item of query) if (found.push(item) >= limit) break;
    return found;
  }
}
