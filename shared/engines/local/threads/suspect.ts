import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { NEW_HEAD } from '../../../core/frontier/head.ts';
import { hostKey } from '../../../core/url/host-key.ts';
import type { LedgerStore } from '../../../crawler/ports/ledger-store.ts';

/**
 * Any of `urls` may have killed a thread: their hosts' next turns are quarantine turns
 * (`turn/quarantine.ts`) until each has been fetched. By receive counts alone it would take two more deaths
 * for each page that comes before the one that kills. What a quarantine turn has announced is known already.
 * No worker may hold the hosts. Gives how many heads were replaced.
 */
export async function suspect(
  ledgers: Pick<LedgerStore, 'loadHead' | 'commit'>,
  crawl: CrawlId,
  urls: readonly string[],
): Promise<number> {
  let replaced = 0;
  for (const url of urls) {
    const host = hostKey(url);
    const head = (await ledgers.loadHead(crawl, host)) ?? NEW_HEAD;
    if (head.intent) continue;
    await ledgers.commit(crawl, host, { ...head, version: head.version + 1, intent: { url, tries: 1 } });
    replaced++;
  }
  return replaced;
}
