import type { CrawlConfig } from '../../shared/crawl/config.ts';
import type { LocalEngine } from '../../shared/engines/local/engine.ts';
import { countUrls } from '../../shared/frontier/url-record.ts';
import type { CrawlId, CrawlTotals } from '../../shared/ports.ts';
import type { WorkerStats } from '../../shared/worker/services.ts';
import type { Progress } from '../live-line.ts';

/**
 * What the live line shows: what the crawl had when this session began and what the worker has done since; of URLs,
 * what turns have committed, read anew each second, and what the turns under way have found.
 */
export async function progressOf(
  { registry, clock }: LocalEngine,
  crawl: CrawlId,
  config: CrawlConfig,
): Promise<(stats: WorkerStats) => Progress> {
  const startedAt = clock.now();
  const before = await registry.totals(crawl);
  let totals: CrawlTotals = before;
  let readAt = startedAt;
  const endsAt = config.maxTimeMs === undefined ? undefined : startedAt + config.maxTimeMs - before.activeMs;
  return (stats) => {
    const now = clock.now();
    if (now - readAt >= 1000) {
      readAt = now;
      void registry.totals(crawl).then((read) => {
        totals = read;
      });
    }
    let urls = countUrls(totals.urls);
    let { waiting } = totals.urls;
    for (const [ledger, begun] of stats.open) {
      urls += countUrls(ledger.counts) - countUrls(begun);
      waiting += ledger.counts.waiting - begun.waiting;
    }
    return {
      pages: before.pages + stats.pages,
      urls,
      waiting,
      hosts: totals.hosts,
      hostsActive: stats.hostsActive,
      hostsWaiting: totals.hostsWaiting,
      bytes: before.bytes + stats.bytes,
      errors: stats.errors,
      startedAt,
      now,
      limits: { maxPages: config.maxPages, maxBytes: config.maxBytes, endsAt },
    };
  };
}
