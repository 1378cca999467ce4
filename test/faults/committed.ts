/** The data that the heads of a crawl's folder have committed. */

import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { openLedger } from '../../shared/crawler/turn/open-ledger.ts';
import { openLocalReader } from '../../shared/engines/local/engine.ts';

export interface Committed {
  /** All URLs that the crawl knows. */
  readonly records: ReadonlyMap<string, UrlRecord>;
  /** Hosts whose robots.txt is known. */
  readonly robots: ReadonlySet<string>;
}

/** `folder`: undefined where there is no crawl. */
export async function committedIn(folder: string | undefined): Promise<Committed> {
  const records = new Map<string, UrlRecord>();
  const robots = new Set<string>();
  const reader = folder === undefined ? undefined : openLocalReader(folder);
  const crawl = reader?.crawl();
  if (!reader || crawl === undefined) return { records, robots };
  try {
    for await (const { host, head } of reader.ledgers.hosts(crawl)) {
      const ledger = await openLedger(reader.ledgers, { crawl: crawl, host, index: head.ledger });
      for await (const record of ledger.records()) records.set(record.url, record);
      if (head.robots.length > 0) robots.add(host);
    }
  } finally {
    reader.close();
  }
  return { records, robots };
}
