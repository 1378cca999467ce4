/**
 * Heads and crawls in items of the state table. Each stored item is read once: the store never changes one.
 */

import type { Head } from '../../shared/core/frontier/head.ts';
import { decodeCrawl, type StoredCrawl } from '../../shared/engines/aws/state/crawl-record.ts';
import type { Item } from '../../shared/engines/aws/table/item.ts';

export const headIn: (item: Readonly<Item>) => Head = once((item) => JSON.parse(item.head?.S as string));

export const crawlIn: (item: Readonly<Item>) => StoredCrawl = once(decodeCrawl);

function once<T>(read: (item: Readonly<Item>) => T): (item: Readonly<Item>) => T {
  const known = new WeakMap<Readonly<Item>, T>();
  return (item) => {
    const value = known.get(item) ?? read(item);
    known.set(item, value);
    return value;
  };
}
