import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { type Head, NEW_HEAD } from '../../core/frontier/head.ts';
import type { HostLedger } from '../../core/frontier/ledger.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import { canonicalize } from '../../core/url/canonical.ts';
import { canonicalRoute } from '../../core/url/hash-route.ts';
import { type HostKey, hostKey } from '../../core/url/host-key.ts';
import { createUrlRules, type UrlRules } from '../../core/url/url-rules.ts';
import type { LedgerStore } from '../../crawler/ports/ledger-store.ts';
import { openLedger } from '../../crawler/turn/open-ledger.ts';

/** The stored data of a URL and of its host. */
export interface LookedUpUrl {
  readonly host: HostKey;
  /** Absent: the crawl does not know the host. */
  readonly head?: Head;
  readonly ledger: HostLedger;
  readonly record?: UrlRecord;
  /** The URLs by which it may be known. */
  readonly names: readonly string[];
}

/**
 * Looks up a URL. It is known, too, by its canonical form, and with `rules` by the URL that represents it under them; a
 * redirect may have led to the very spelling, which is then a URL of its own.
 */
export async function lookUpUrl(
  ledgers: Pick<LedgerStore, 'loadHead' | 'readPart'>,
  crawl: CrawlId,
  url: string,
  rules?: UrlRules,
): Promise<LookedUpUrl> {
  const host = hostKey(url);
  const head = await ledgers.loadHead(crawl, host);
  const ledger = await openLedger(ledgers, { crawl, host, index: (head ?? NEW_HEAD).ledger });
  const canonical = rules ? (canonicalize(url) ?? url) : url;
  const route = rules && canonicalRoute(url);
  const names = [
    ...new Set([
      url,
      ...(route ? [route] : []),
      canonical,
      ...(rules ? [createUrlRules(rules)(canonical)] : []),
    ]),
  ];
  let record: UrlRecord | undefined;
  for (const name of names) record ??= await ledger.lookUp(name);
  return { host, head, ledger, record, names };
}
