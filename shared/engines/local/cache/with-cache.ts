import type { FetchFailure } from '../../../core/outcome/fetch-outcome.ts';
import { described } from '../../../crawler/fetcher/failure.ts';
import type { Fetcher } from '../../../crawler/ports/fetcher.ts';
import { closeAll } from '../close-all.ts';
import type { ResponseCache } from './response-cache.ts';

/** Damaged responses that are named; the summary counts all of them. */
const MAX_WARNINGS = 5;

/**
 * The fetcher behind a cache: a request is made only if the cache has no response. `warn` is called for the first
 * responses that cannot be read. Closes both.
 */
export function withCache(
  fetcher: Fetcher,
  cache: ResponseCache,
  { now, warn }: { readonly now: () => number; readonly warn?: ((message: string) => void) | undefined },
): Fetcher {
  let warnings = 0;

  return {
    ...fetcher,
    async fetch(request) {
      const found = request.cache === 'bypass' ? 'none' : await cache.find(request);
      if (typeof found === 'object' && 'status' in found) return found;
      if (request.cache === 'only') return withoutRequest(request.url, now());
      const kind = found === 'none' ? 'miss' : 'unreadable';
      if (found !== 'none' && warnings++ < MAX_WARNINGS)
        warn?.(
          `The cache's response of ${request.url.slice(0, 200)} cannot be read, so it is fetched: ${found.damage}`,
        );
      return { ...(await fetcher.fetch(request)), cache: { kind } };
    },
    close: () => closeAll([fetcher.close, cache.close]),
  };
}

const withoutRequest = (url: string, at: number): FetchFailure => ({
  status: 'failed',
  url,
  startedAt: at,
  endedAt: at,
  isNotSent: true,
  cache: { kind: 'withoutRequest' },
  ...described('aborted', "the site's robots.txt must be requested first"),
});
