/** Copies the state of a crawl's hosts from one engine to another. */

import { mapInOrder } from '../../core/base/map-in-order.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { checkHead } from '../../core/frontier/check-head.ts';
import type { Head } from '../../core/frontier/head.ts';
import { partsOf } from '../../core/frontier/head-parts.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { LedgerStore } from '../../crawler/ports/ledger-store.ts';

/** A crawl in an engine, which may have another name in each. */
interface LedgersOf<Methods extends keyof LedgerStore> {
  readonly ledgers: Pick<LedgerStore, Methods>;
  readonly crawl: CrawlId;
}

type Source = LedgersOf<'hosts' | 'readPart'>;
type Target = LedgersOf<'loadHead' | 'putPart' | 'importHead'>;

const HOSTS_AT_ONCE = 16;

/**
 * Copies all heads, also those of registrable domains, and the parts that they name. In neither engine the crawl may run
 * meanwhile. Safe to repeat: hosts that are there already are not copied again. Returns how many heads there are. Throws
 * `StaleTurn` for a host that has gone on in the target, and `BadStoredName` for a head that Strand has not written, of which
 * nothing is copied. `onHost`: called after each, with the number up to then.
 */
export async function copyHosts(
  from: Source,
  to: Target,
  onHost: (count: number) => void = () => {},
): Promise<number> {
  let count = 0;
  const copies = mapInOrder(from.ledgers.hosts(from.crawl), { count: HOSTS_AT_ONCE }, ({ host, head }) =>
    copyHost(from, to, host, transferable(head)),
  );
  for await (const _ of copies) onHost(++count);
  return count;
}

async function copyHost(from: Source, to: Target, host: HostKey, head: Head): Promise<void> {
  checkHead(host, head);
  const there = await to.ledgers.loadHead(to.crawl, host);
  if (there !== undefined && JSON.stringify(there) === JSON.stringify(head)) return;
  for (const name of partsOf(head))
    await to.ledgers.putPart(to.crawl, host, name, await from.ledgers.readPart(from.crawl, host, name));
  await to.ledgers.importHead(to.crawl, host, head);
}

/** The head without its marks for messages and staged items of the engine that it comes from. */
const transferable = ({ token, resumedBy, stagedItems, stagedChanges, ...head }: Head): Head => head;
