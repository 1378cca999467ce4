import type { CrawlConfig } from '../../shared/crawl/config.ts';
import type { CrawlId } from '../../shared/crawl/crawl-id.ts';
import type { CrewStats } from '../../shared/engines/local/crew-stats.ts';
import type { LocalEngine } from '../../shared/engines/local/engine.ts';
import { countUrls } from '../../shared/frontier/url-record.ts';
import type { CrawlTotals } from '../../shared/ports/crawl-registry.ts';
import type { Progress } from '../live-line.ts';

/**
 * What the live line shows: what the crawl had when this session began and what its workers have done since; of URLs,
 * what turns have committed, and what the turns under way have found.
 */
export async function progressOf(
  { registry, clock }: LocalEngine,
  crawl: CrawlId,
  config: CrawlConfig,
): Promise<(stats: CrewStats) => Progress> {
  const startedAt = clock.now();
  const before = await registry.totals(crawl);
  let totals: CrawlTotals = before;
  const endsAt = config.maxTimeMs === undefined ? undefined : startedAt + config.maxTimeMs - before.activeMs;
  return (stats) => {
    const now = clock.now();
    // At each look: sums that are older than the turns' own figures make the line jump.
    void registry.totals(crawl).then((read) => {
      totals = read;
    });
    return {
      pages: before.pages + stats.pages,
      urls: countUrls(totals.urls) + stats.openUrls,
      waiting: totals.urls.waiting + stats.openWaiting,
      hosts: totals.hosts,
      hostsActive: stats.hostsActive,
      hostsWaiting: Math.max(0, totals.hostsWaiting - stats.hostsActive),
      bytes: before.bytes + stats.bytes,
      errors: stats.errors,
      startedAt,
      now,
      limits: { maxPages: config.maxPages, maxBytes: config.maxBytes, endsAt },
    };
  };
}
