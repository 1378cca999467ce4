/** The lists of sites of crawls, beside their records: a record is read more often than it changes its list. */
import { gunzipSync, gzipSync } from 'node:zlib';
import QuickLRU from 'quick-lru';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { decodeSites, encodeSites, type Site, type SitesRef } from '../../../core/crawl/sites.ts';
import { type Item, itemKey } from '../table/item.ts';
import { queryItems } from '../table/query.ts';
import { deleteItem, putItem, type Table } from '../table/table.ts';
import { SITES_PREFIX } from './tables.ts';

/** An item may have 400 KB. */
const MAX_ITEM_BYTES = 350 * 1024;
/** Lists kept as read last. A list never changes. */
const MAX_KEPT = 20;

/** A list is some items of up to 350 KB, named by its content. */
export class SiteLists {
  readonly #table: Table;
  readonly #read = new QuickLRU<string, readonly Site[]>({ maxSize: MAX_KEPT });

  constructor(table: Table) {
    this.#table = table;
  }

  /** Safe to repeat. */
  async store(crawl: CrawlId, sites: readonly Site[]): Promise<SitesRef> {
    const { ref, json } = encodeSites(sites);
    const bytes = gzipSync(json);
    for (let part = 0; part * MAX_ITEM_BYTES < bytes.length; part++) {
      const B = bytes.subarray(part * MAX_ITEM_BYTES, (part + 1) * MAX_ITEM_BYTES);
      await putItem(this.#table, { ...itemKey(crawl, partKey(ref, part)), bytes: { B } });
    }
    return ref;
  }

  async read(crawl: CrawlId, ref: SitesRef): Promise<readonly Site[]> {
    const known = this.#read.get(`${crawl} ${ref.id}`);
    if (known) return known;
    const parts: Uint8Array[] = [];
    for await (const { bytes } of this.#items(crawl, `${SITES_PREFIX}${ref.id}#`))
      parts.push(bytes?.B as Uint8Array);
    if (parts.length === 0) throw new Error(`the list ${ref.id} of the sites of ${crawl} is missing`);
    const sites = decodeSites(gunzipSync(Buffer.concat(parts)).toString('utf8'));
    this.#read.set(`${crawl} ${ref.id}`, sites);
    return sites;
  }

  /** Deletes the crawl's other lists. A process that has read the record before may still need the list `before`. */
  async keep(crawl: CrawlId, kept: SitesRef, before: SitesRef | undefined): Promise<void> {
    const prefixes = [kept, ...(before ? [before] : [])].map(({ id }) => `${SITES_PREFIX}${id}#`);
    for await (const { sk } of this.#items(crawl, SITES_PREFIX, 'sk')) {
      const name = sk?.S as string;
      if (prefixes.some((prefix) => name.startsWith(prefix))) continue;
      await deleteItem(this.#table, itemKey(crawl, name));
    }
  }

  #items(crawl: CrawlId, prefix: string, attributes?: string): AsyncIterable<Item> {
    return queryItems(this.#table, { partition: crawl, prefix, attributes });
  }
}

/** In the order of the keys. */
const partKey = ({ id }: SitesRef, part: number): string =>
  `${SITES_PREFIX}${id}#${String(part).padStart(3, '0')}`;
