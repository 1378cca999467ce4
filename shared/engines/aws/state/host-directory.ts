/**
 * The directory of a crawl's hosts: an item for each, in partitions of the crawl's own, so that its hosts are found
 * without a look at those of other crawls.
 */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { SitePass } from '../../../core/frontier/site-pass.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { HostPass } from '../../../crawler/ports/ledger-store.ts';
import { itemKey, N, S } from '../table/item.ts';
import { queryItems, queryPage } from '../table/query.ts';
import { putItem, type Table } from '../table/table.ts';
import { allHostShards, hostShardOf } from './tables.ts';

/** A cursor in the directory: after this host. Without a host: at the partition's begin. */
export interface DirectoryPlace {
  /** The number of the partition. */
  readonly shard: number;
  readonly host?: HostKey;
}

export interface DirectoryPage {
  readonly hosts: readonly HostKey[];
  /** Absent: the directory is at its end. */
  readonly next?: DirectoryPlace;
}

export class HostDirectory {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Before the host's first head is stored: an entry without a head does no harm. */
  async enter(crawl: CrawlId, host: HostKey): Promise<void> {
    await putItem(this.#table, itemKey(hostShardOf(crawl, host), host));
  }

  /**
   * Enters a host with the pass over it. Before its head is stored, so that no pass is left out if the process ends; a turn
   * that is late changes nothing.
   */
  async enterPass(crawl: CrawlId, host: HostKey, pass: SitePass, version: number): Promise<void> {
    const site = S(JSON.stringify(pass));
    const item = { ...itemKey(hostShardOf(crawl, host), host), site, version: N(version) };
    await putItem(this.#table, item, {
      condition: 'attribute_not_exists(#version) OR #version <= :version',
      values: item,
    });
  }

  /** The hosts that have a pass, as their entries have it. */
  async *passes(crawl: CrawlId): AsyncGenerator<HostPass> {
    for (const partition of allHostShards(crawl))
      for await (const { sk, site } of queryItems(this.#table, { partition, isConsistent: false }))
        if (site?.S !== undefined) yield { host: sk?.S as HostKey, pass: JSON.parse(site.S) };
  }

  /** Returns up to `limit` hosts from the cursor `place` on, of one partition, read consistently. */
  async page(crawl: CrawlId, { shard, host }: DirectoryPlace, limit: number): Promise<DirectoryPage> {
    const shards = allHostShards(crawl);
    const partition = shards[shard];
    if (partition === undefined) return { hosts: [] };
    const { items, next } = await queryPage(this.#table, { partition, limit }, host);
    const hosts = items.map(({ sk }) => sk?.S as string);
    if (next !== undefined) return { hosts, next: { shard, host: next } };
    if (shard + 1 < shards.length) return { hosts, next: { shard: shard + 1 } };
    return { hosts };
  }
}
