/** The loops of a session of pages besides its worker: links that go to their hosts, and hosts that are due. */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import { routeParcels } from '../../../crawler/routing/router.ts';
import { wakeDueHosts } from '../../../crawler/routing/waker.ts';
import type { Worker } from '../../../crawler/worker/worker.ts';
import type { MemoryEngine } from './memory-engine.ts';

const PERIOD_MS = 1000;
const PARCELS = 500;

/** Runs both until the signal aborts, or one of them fails. */
export const runPageLoops = (
  engine: MemoryEngine,
  crawls: Worker['crawls'],
  crawl: CrawlId,
  signal: AbortSignal,
): Promise<unknown> => Promise.all([route(engine, crawls, signal), wake(engine, crawls, crawl, signal)]);

async function route(engine: MemoryEngine, crawls: Worker['crawls'], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const parcels = await engine.exchange.receive(PARCELS, PERIOD_MS, signal);
    if (parcels.length > 0) await routeParcels(engine, crawls, parcels);
  }
}

async function wake(
  engine: MemoryEngine,
  crawls: Worker['crawls'],
  crawl: CrawlId,
  signal: AbortSignal,
): Promise<void> {
  const woken = new Map<HostKey, { version: number; at: number }>();
  while (!signal.aborted) {
    await wakeDueHosts(engine, crawls, crawl, woken);
    await engine.clock.sleep(PERIOD_MS, signal);
  }
}
