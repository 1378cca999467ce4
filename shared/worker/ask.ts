import type { FetchOutcome, FetchRequest, HostKey } from '../ports.ts';
import type { Crawl } from './crawls.ts';
import { type HostState, reading } from './host-state.ts';
import type { Services } from './services.ts';

/**
 * One exchange with `host`, after those of other turns with it. If it could be begun only when the turn's time for
 * requests is over, it is not begun, and counts as dropped by ourselves.
 */
export function ask(
  { engine: { clock }, lanes, fetcherOf, stopping }: Services,
  crawl: Crawl,
  state: HostState,
  host: HostKey,
  request: Omit<FetchRequest, 'signal'>,
): Promise<FetchOutcome> {
  const { perHost, delayMs } = crawl.config;
  const { url } = request;
  const fetch = async (): Promise<FetchOutcome> => {
    const now = clock.now();
    if (now > state.lastRequestAt) {
      const message = `${url}: there was no time left for it`;
      return { status: 'failed', reason: 'aborted', url, message, startedAt: now, endedAt: now };
    }
    return fetcherOf(crawl).fetch({ ...request, signal: stopping });
  };
  return reading(state, () => lanes.run(host, perHost, delayMs, fetch));
}
