import type { Sizes } from '../../core/base/sizes.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { HostLedger } from '../../core/frontier/ledger.ts';
import type { LedgerIndex } from '../../core/frontier/ledger-index.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { LedgerStore } from '../ports/ledger-store.ts';

export interface LedgerPlace {
  readonly crawl: CrawlId;
  readonly host: HostKey;
  /** The index in the host's head. */
  readonly index: LedgerIndex;
  readonly sizes?: Sizes | undefined;
}

/** Opens the host's ledger as its head's `index` describes it: reads it from the store. */
export function openLedger(
  ledgers: Pick<LedgerStore, 'readPart'>,
  { crawl, host, index, sizes }: LedgerPlace,
): Promise<HostLedger> {
  return HostLedger.open(
    host,
    index,
    (name, offset, length) => ledgers.readPart(crawl, host, name, offset, length),
    sizes,
  );
}
