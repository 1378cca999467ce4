import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { exchangesOf } from '../../../core/frontier/host-totals.ts';
import type { PageTask } from '../../../crawler/turn/page/page-work.ts';
import { quarantinePage } from '../../../crawler/turn/quarantine-page.ts';
import { openDatabase } from '../database.ts';
import { foldersOf } from '../folders.ts';
import { createLedgerStore } from '../ledger-store.ts';
import { createRegistry } from '../registry.ts';
import { takeInFlight } from '../threads/in-flight-table.ts';
import { suspect } from '../threads/suspect.ts';

/** The circumstances of a thread's death. */
export interface ThreadDeath {
  /** How long it was blocked, if that is why it was ended. */
  readonly blockedMs?: number;
  readonly task?: PageTask;
  readonly inFlight: Uint8Array;
}

/**
 * After the only thread of a crawl was ended: the page that blocked it goes to quarantine. If the page is not
 * known, or the thread died otherwise, each URL that was in progress is under suspicion. No thread may work
 * in the folder. Returns how many exchanges the crawl has
 * committed, with hosts or with its cache.
 */
export async function recover(
  folder: string,
  crawl: CrawlId,
  { blockedMs, task, inFlight }: ThreadDeath,
): Promise<number> {
  const paths = foldersOf(folder);
  const database = openDatabase(paths.database, 'write');
  try {
    const ledgers = createLedgerStore(database, paths.ledgers);
    if (task && blockedMs !== undefined) await quarantinePage(ledgers, task, blockedMs, Date.now());
    else await suspect(ledgers, crawl, task ? [task.url] : takeInFlight(inFlight));
    const registry = createRegistry(database, () => true);
    // The thread counts the time that the crawl has run, and could not.
    registry.addActiveMs(crawl, blockedMs ?? 0);
    return exchangesOf(await registry.totals(crawl));
  } finally {
    database.close();
  }
}
