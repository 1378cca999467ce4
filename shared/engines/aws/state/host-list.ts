/** Lists the hosts of a crawl with their heads, by the crawl's directory of hosts. */
import { type Sizes, sizesOf } from '../../../core/base/sizes.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { SitePass } from '../../../core/frontier/site-pass.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { HostPass } from '../../../crawler/ports/ledger-store.ts';
import { getItems } from '../table/batch.ts';
import { itemKey } from '../table/item.ts';
import type { Table } from '../table/table.ts';
import { type DirectoryPlace, HostDirectory } from './host-directory.ts';
import { entryOf, type HostEntry, type HostPage, InvalidCursor } from './host-page.ts';
import { HEAD, HOST_SHARDS, hostPartition } from './tables.ts';

export interface HostListOptions extends Table {
  readonly sizes?: Sizes | undefined;
}

/** Requests of the directory for one page, besides one for each of its partitions. */
const MAX_QUERIES = 5;

export class HostList {
  readonly #options: HostListOptions;
  readonly #directory: HostDirectory;

  constructor(options: HostListOptions) {
    this.#options = options;
    this.#directory = new HostDirectory(options);
  }

  /** Before a host's first head is stored. */
  enter(crawl: CrawlId, host: HostKey): Promise<void> {
    return this.#directory.enter(crawl, host);
  }

  enterPass(crawl: CrawlId, host: HostKey, pass: SitePass, version: number): Promise<void> {
    return this.#directory.enterPass(crawl, host, pass, version);
  }

  passes(crawl: CrawlId): AsyncIterable<HostPass> {
    return this.#directory.passes(crawl);
  }

  async *all(crawl: CrawlId): AsyncGenerator<HostEntry> {
    let place: DirectoryPlace | undefined = { shard: 0 };
    while (place) {
      const { hosts, next } = await this.#directory.page(crawl, place, this.#most);
      yield* await this.#entriesOf(crawl, hosts);
      place = next;
    }
  }

  /** Throws {@link InvalidCursor} for a cursor that no page gave. */
  async page(crawl: CrawlId, cursor: string | undefined, limit: number): Promise<HostPage> {
    if (!Number.isInteger(limit) || limit < 1)
      throw new RangeError(`Expected a page of at least one host, got ${limit}`);
    const found: HostEntry[] = [];
    let place: DirectoryPlace | undefined = cursor === undefined ? { shard: 0 } : placeIn(cursor);
    for (let queries = 0; place && found.length < limit && queries < HOST_SHARDS + MAX_QUERIES; queries++) {
      const { hosts, next } = await this.#directory.page(
        crawl,
        place,
        Math.min(this.#most, limit - found.length),
      );
      found.push(...(await this.#entriesOf(crawl, hosts)));
      place = next;
    }
    return { hosts: found, ...(place && { cursor: cursorOf(place) }) };
  }

  get #most(): number {
    return sizesOf(this.#options).maxScanned;
  }

  /** In the order of the hosts. Hosts without a head yet are left out. */
  async #entriesOf(crawl: CrawlId, hosts: readonly HostKey[]): Promise<HostEntry[]> {
    const keys = hosts.map((host) => itemKey(hostPartition(crawl, host), HEAD));
    const entries = (await getItems(this.#options, keys)).map((item) => entryOf(item, this.#options.table));
    const byHost = new Map(entries.map((entry) => [entry.host, entry]));
    return hosts.flatMap((host) => byHost.get(host) ?? []);
  }
}

const cursorOf = ({ shard, host }: DirectoryPlace): string =>
  Buffer.from(JSON.stringify(host === undefined ? [shard] : [shard, host])).toString('base64url');

function placeIn(cursor: string): DirectoryPlace {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(place) && place.length <= 2) {
      const [shard, host] = place as unknown[];
      const isShard = Number.isInteger(shard) && (shard as number) >= 0 && (shard as number) < HOST_SHARDS;
      if (isShard && host === undefined) return { shard: shard as number };
      if (isShard && typeof host === 'string' && host !== '') return { shard: shard as number, host };
    }
  } catch {
    // Reported below.
  }
  throw new InvalidCursor(`Expected a cursor that an earlier page gave, got ${JSON.stringify(cursor)}`);
}
