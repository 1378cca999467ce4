import type { Engine } from '../ports/engine.ts';
import type { Crawls } from './crawls.ts';
import { endOf } from './drain.ts';

/**
 * Sets the status of each crawl known to this process that has met one of its limits and awaits no more
 * requisites, so that every process learns of it. Safe to repeat, and for several to do at once.
 */
export async function endCrawlsAtLimits(
  engine: Pick<Engine, 'registry' | 'ledgers' | 'clock'>,
  crawls: Crawls,
): Promise<void> {
  for (const crawl of crawls.known()) {
    if (crawl.status !== 'running') continue;
    const end = await endOf(engine, crawl, crawl.budget.metFinally());
    if (!end) continue;
    const { maxPages, maxBytes, maxTimeMs, maxCost } = crawl.config;
    await engine.registry.setStatus(crawl.id, end.status, end.reason, {
      from: ['running'],
      // Unless one was raised while this process stood still, or since it last read them.
      limits: { maxPages, maxBytes, maxTimeMs, maxCost },
    });
    crawls.refresh(crawl.id);
  }
}
