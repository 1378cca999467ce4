/** Hosts whose ledger no turn can read any more. */
import type { Cause } from '../../core/causes/cause.ts';
import { boundedText } from '../../core/causes/cause.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { CorruptBytes, NewerFormat } from '../../core/frontier/bytes.ts';
import { partsOf } from '../../core/frontier/head-parts.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { LedgerStore } from '../ports/ledger-store.ts';
import { LostPart } from '../ports/lost-part.ts';
import type { Delivery } from '../ports/turn-queue.ts';

/** Bytes that cannot be decoded may have been cut off on their way: the first tries do not count. */
const SURE_RECEIVES = 5;

/** Returns the cause if the error of a turn shows that the host's ledger cannot be read; undefined: another turn may. */
export function unreadableCause(error: unknown, deliveries: readonly Delivery[]): Cause | undefined {
  if (!(error instanceof Error) || error instanceof NewerFormat) return undefined;
  const isSure =
    error instanceof LostPart ||
    (error instanceof CorruptBytes && deliveries.some(({ receiveCount }) => receiveCount >= SURE_RECEIVES));
  return isSure ? { code: 'ledgerUnreadable', detail: boundedText(error.message) } : undefined;
}

export interface UnreadableLedger {
  readonly crawl: CrawlId;
  readonly host: HostKey;
  readonly cause: Cause;
  /** The error of the turn. */
  readonly error: unknown;
  readonly now: number;
}

/**
 * Gives the host up, so that its messages do not come back for ever, and the crawl and other crawls of the host can go on. A resume tries
 * it again. Throws the turn's error if the host's head does not name the missing part: then the turn was late. Throws `StaleTurn`
 * if another worker has continued with the host.
 */
export async function giveUpUnreadable(
  ledgers: Pick<LedgerStore, 'loadHead' | 'commit'>,
  { crawl, host, cause, error, now }: UnreadableLedger,
): Promise<void> {
  const head = await ledgers.loadHead(crawl, host);
  if (head === undefined || (error instanceof LostPart && !partsOf(head).includes(error.part))) throw error;
  const isDone = head.setAside !== undefined && head.dueAt === undefined && head.token === undefined;
  if (isDone) return;
  const { intent: _, ...rest } = head;
  const setAside = head.setAside ?? { cause, at: now };
  await ledgers.commit(crawl, host, {
    ...rest,
    version: head.version + 1,
    token: undefined,
    dueAt: undefined,
    setAside,
  });
}
