import type { FetchOutcome } from '../fetcher/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../fetcher/outcome/fetch-request.ts';
import { gapAfter, maxGapAfter } from '../frontier/politeness.ts';
import { type Crawl, MAX_AGE_MS } from './crawls.ts';
import { type HostState, reading } from './host-state.ts';
import type { Services } from './services.ts';

const NO_TIME = 'there was no time left for it';

/**
 * One exchange with the turn's host, after those of other crawls' turns with it. If it could be begun only when the
 * turn's time for requests is over, it is not begun, and counts as dropped by ourselves. The host is locked beyond the request and the
 * rest that is due after it: should this process die, whoever gets the host next knows of neither.
 */
export async function ask(
  { engine: { clock }, crawls, lanes, fetcherOf, stopping, stats }: Services,
  crawl: Crawl,
  state: HostState,
  request: Omit<FetchRequest, 'signal'>,
  crawlDelayMs?: number,
): Promise<FetchOutcome> {
  const { totalTimeoutMs, perHost } = crawl.config;
  const gapMs = gapAfter({ startedAt: 0, endedAt: 0, crawlDelayMs }, crawl.config);
  const lockedMs = totalTimeoutMs + maxGapAfter(totalTimeoutMs, crawlDelayMs, crawl.config);
  const { url } = request;
  const begunAt = clock.now();
  const unmade = (message: string): FetchOutcome => {
    const now = clock.now();
    return {
      status: 'failed',
      reason: 'aborted',
      isUnmade: true,
      url,
      message,
      startedAt: now,
      endedAt: now,
    };
  };
  const outcome = await lanes.run(state.host, perHost, gapMs, state.lastRequestAt, async () => {
    await state.lease.lockFor(lockedMs);
    if (clock.now() > state.lastRequestAt) return unmade(NO_TIME);
    // Another crawl's turn may have kept it waiting for long.
    if (clock.now() - begunAt > MAX_AGE_MS) {
      if ((await crawls.get(crawl.id))?.status !== 'running') return unmade('the crawl does not run');
      // The process may have stood still meanwhile: nothing may be waited for between the lock and the request.
      await state.lease.lockFor(lockedMs);
      if (clock.now() > state.lastRequestAt) return unmade(NO_TIME);
    }
    return reading(state, () => fetcherOf(crawl.everywhere ?? crawl).fetch({ ...request, signal: stopping }));
  });
  if (outcome?.status === 'response') stats.answers++;
  return outcome ?? unmade(NO_TIME);
}
