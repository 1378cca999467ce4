import type { CrawlConfig } from '../../shared/core/crawl/config.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import { countUrls } from '../../shared/core/frontier/url-record.ts';
import type { Clock } from '../../shared/crawler/ports/clock.ts';
import type { CrawlRegistry } from '../../shared/crawler/ports/crawl-registry.ts';
import type { LedgerStore } from '../../shared/crawler/ports/ledger-store.ts';
import type { PoolStats } from '../../shared/engines/local/session/pool-stats.ts';
import { nextFetchOf } from '../../shared/services/report/url-detail.ts';
import type { CrawlProgress } from '../crawl-events.ts';

/**
 * Returns the crawl's progress: the counts at the start of this session plus those of its workers since; for URLs, the
 * counts of committed turns plus the URLs that turns in progress have found.
 */
export async function progressOf(
  {
    registry,
    clock,
    ledgers,
  }: {
    readonly registry: Pick<CrawlRegistry, 'totals'>;
    readonly clock: Pick<Clock, 'now'>;
    readonly ledgers: Pick<LedgerStore, 'hosts'>;
  },
  crawl: CrawlId,
  config: CrawlConfig,
): Promise<(stats: PoolStats) => Promise<CrawlProgress>> {
  const startedAt = clock.now();
  const before = await registry.totals(crawl);
  /** Found while hosts were active, and while none was. */
  const rests = new Map<boolean, Promise<number | undefined>>();
  const firstRest = async (isActive: boolean): Promise<number | undefined> => {
    const found = rests.get(isActive) ?? firstRestEnd(ledgers, crawl);
    rests.set(isActive, found);
    return found;
  };
  const endsAt = config.maxTimeMs === undefined ? undefined : startedAt + config.maxTimeMs - before.activeMs;
  return async (stats) => {
    const now = clock.now();
    // At each look: with older sums, a seed would count as committed and as found by its turn, or as neither.
    const totals = await registry.totals(crawl);
    const { hostsClosed, refused } = totals;
    const isActive = stats.hostsActive > 0;
    const mayRest =
      stats.requests === 0 && totals.hostsWaiting > 0 && !(isActive && totals.hosts > MAX_LOOKED);
    const rest = mayRest ? await firstRest(isActive) : undefined;
    // An active host may have been requested since its head was stored.
    const isResting = rest !== undefined && (!isActive || rest > now);
    return {
      pages: before.pages + stats.pages,
      urls: countUrls(totals.urls) + stats.openUrls,
      waiting: totals.urls.waiting + stats.openWaiting,
      hosts: totals.hosts,
      hostsActive: stats.hostsActive,
      hostsWaiting: Math.max(0, totals.hostsWaiting - stats.hostsActive),
      ...(hostsClosed !== undefined && { hostsClosed }),
      ...(refused?.hosts && { hostsRefused: refused.hosts }),
      ...(isResting && { restsUntil: rest }),
      bytes: before.bytes + stats.bytes,
      // As in the summary: responses with an error status are none.
      errors: Object.values(totals.errors).reduce((sum, count) => sum + count, 0),
      cached: (before.cache?.hit ?? 0) + stats.cached,
      requests: stats.requests,
      startedAt,
      now,
      limits: { maxPages: config.maxPages, maxBytes: config.maxBytes, endsAt },
    };
  };
}

/** If more hosts rest, it is not looked for. */
const MAX_LOOKED = 2000;

/** When the first request to a host with URLs may start. */
async function firstRestEnd(
  ledgers: Pick<LedgerStore, 'hosts'>,
  crawl: CrawlId,
): Promise<number | undefined> {
  let first: number | undefined;
  let looked = 0;
  for await (const { head } of ledgers.hosts(crawl)) {
    if (head.domain || head.setAside || head.ledger.counts.waiting === 0) continue;
    if (++looked > MAX_LOOKED) return undefined;
    first = Math.min(first ?? Number.POSITIVE_INFINITY, nextFetchOf(head));
  }
  return first;
}
