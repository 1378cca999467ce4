import type { CrawlRegistry } from '../ports.ts';
import type { Crawls } from './crawls.ts';

/**
 * Sets the status of each crawl known to this process that has met one of its limits, so that every process hears of
 * it. Safe to repeat, and for several to do at once.
 */
export async function endCrawlsAtLimits(registry: CrawlRegistry, crawls: Crawls): Promise<void> {
  for (const { id, status, budget } of crawls.known()) {
    const met = status === 'running' ? budget.metForGood() : undefined;
    if (!met) continue;
    await registry.setStatus(id, met.status, met.reason, { from: ['running'] });
    crawls.refresh(id);
  }
}
