import type { CrawlId } from '../crawl/crawl-id.ts';
import { HostLedger, type LedgerIndex } from '../frontier/ledger.ts';
import type { LedgerStore } from '../ports/ledger-store.ts';
import type { Sizes } from '../sizes.ts';
import type { HostKey } from '../url/host-key.ts';

/** The host's ledger as its head's `index` describes it, read from the store. */
export function openLedger(
  ledgers: Pick<LedgerStore, 'readPart'>,
  crawl: CrawlId,
  host: HostKey,
  index: LedgerIndex,
  sizes?: Sizes,
): Promise<HostLedger> {
  return HostLedger.open(
    host,
    index,
    (name, offset, length) => ledgers.readPart(crawl, host, name, offset, length),
    sizes,
  );
}
