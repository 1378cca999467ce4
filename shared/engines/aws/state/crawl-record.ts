/** A crawl as its item of CrawlState holds it. */

import { gunzipSync, gzipSync } from 'node:zlib';
import QuickLRU from 'quick-lru';
import { messageOf } from '../../../core/base/error-message.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { withoutFormer } from '../../../core/crawl/former-settings.ts';
import { DamagedState } from '../../../core/frontier/bytes.ts';
import { quoted } from '../../../core/text/printable.ts';
import { type CrawlRecord, CrawlTooLarge } from '../../../crawler/ports/crawl-registry.ts';
import { type Item, N } from '../table/item.ts';

/** An item may have 400 KB; the record is nearly all of it. */
const MAX_RECORD_BYTES = 390 * 1024;
/** Crawls kept as read last. */
const MAX_DECODED = 20;

export interface StoredCrawl {
  readonly record: CrawlRecord;
  readonly version: number;
  /** Time that the crawl has run, up to `runningSince` if it runs. */
  readonly activeMs: number;
  readonly runningSince?: number;
}

/** Time that the crawl has run up to `now`. */
export const activeMsOf = ({ activeMs, runningSince }: StoredCrawl, now: number): number =>
  activeMs + (runningSince === undefined ? 0 : Math.max(0, now - runningSince));

/** Seeds by the thousands are in the record: compressed, some 15,000 of them fit. */
export function encodeCrawl({ record, version, activeMs, runningSince }: StoredCrawl): Item {
  const bytes = gzipSync(JSON.stringify(record));
  if (bytes.length > MAX_RECORD_BYTES)
    throw new CrawlTooLarge(
      `The configuration and the ${record.scopeSeeds.length} URLs that the scope is drawn around take ` +
        `${Math.ceil(bytes.length / 1024)} KB compressed; at most ${MAX_RECORD_BYTES / 1024} KB fit`,
    );
  return {
    record: { B: bytes },
    version: N(version),
    activeMs: N(activeMs),
    ...(runningSince !== undefined && { runningSince: N(runningSince) }),
  };
}

export function decodeCrawl({ record, version, activeMs, runningSince }: Item): StoredCrawl {
  return {
    record: withoutFormer(JSON.parse(gunzipSync(record?.B as Uint8Array).toString('utf8'))),
    version: Number(version?.N),
    activeMs: Number(activeMs?.N),
    ...(runningSince?.N !== undefined && { runningSince: Number(runningSince.N) }),
  };
}

/** Throws {@link DamagedState}. */
function decodeNamed(crawl: CrawlId, item: Item): StoredCrawl {
  try {
    return decodeCrawl(item);
  } catch (cause) {
    const message = `The record of the crawl ${quoted(crawl)} is damaged: ${messageOf(cause)}. Restore it from a backup`;
    throw new DamagedState(message, { cause });
  }
}

/**
 * Decodes a crawl's item again only when it was written: a worker reads it every two seconds, and its
 * seeds may be thousands.
 */
export function createCrawlDecoder(): (crawl: CrawlId, item: Item) => StoredCrawl {
  const last = new QuickLRU<CrawlId, { readonly nonce: string | undefined; readonly stored: StoredCrawl }>({
    maxSize: MAX_DECODED,
  });
  return (crawl, item) => {
    const nonce = item.nonce?.S;
    const known = last.get(crawl);
    if (known && nonce !== undefined && known.nonce === nonce) return known.stored;
    const stored = decodeNamed(crawl, item);
    last.set(crawl, { nonce, stored });
    return stored;
  };
}
