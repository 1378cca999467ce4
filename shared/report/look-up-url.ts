import type { CrawlId } from '../crawl/crawl-id.ts';
import { type Head, NEW_HEAD } from '../frontier/head.ts';
import type { HostLedger } from '../frontier/ledger.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import type { LedgerStore } from '../ports/ledger-store.ts';
import { openLedger } from '../turn/open-ledger.ts';
import { canonicalize } from '../url/canonical.ts';
import { type HostKey, hostKey } from '../url/host-key.ts';
import { createUrlRules, type UrlRules } from '../url/url-rules.ts';

/** The stored data of a URL and of its host. */
export interface LookedUpUrl {
  readonly host: HostKey;
  /** None: the crawl knows nothing of the host. */
  readonly head?: Head;
  readonly ledger: HostLedger;
  readonly record?: UrlRecord;
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
  const names = new Set([url, canonical, ...(rules ? [createUrlRules(rules)(canonical)] : [])]);
  let record: UrlRecord | undefined;
  for (const name of names) record ??= await ledger.lookUp(name);
  return { host, head, ledger, record };
}
