import { withStorageFailures } from '../../../core/base/storage-failed.ts';
import type { CrawlConfig } from '../../../core/crawl/config.ts';
import { createFetcher } from '../../../crawler/fetcher/fetcher.ts';
import { createFetcherParts } from '../../../crawler/fetcher/fetcher-parts.ts';
import { createRequestSigner, type RequestSigner } from '../../../crawler/fetcher/request-signer.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { Fetcher } from '../../../crawler/ports/fetcher.ts';
import { type MiddlewareOptions, withMiddleware } from '../../../services/hooks/with-middleware.ts';
import type { Project } from '../../../services/project/project-file.ts';
import { type CacheFolder, openResponseCache } from '../cache/response-cache.ts';
import { withCache } from '../cache/with-cache.ts';
import { openIdentity } from '../identity-file.ts';
import { withSiteFolders } from '../site-folder/with-site-folders.ts';

export interface FetcherSetup extends Pick<MiddlewareOptions, 'onFailure'> {
  /** Where bodies too large for memory go. */
  readonly tempFolder: string;
  readonly config: CrawlConfig;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly maxSockets: number;
  readonly project: Pick<Project, 'middleware'> | undefined;
  readonly cache?: CacheFolder | undefined;
  readonly warn?: ((message: string) => void) | undefined;
}

/** The fetcher of one thread: the project's middleware, then the cache, then folders for the hosts that have one, then the network. */
export function openFetcher(setup: FetcherSetup): Fetcher {
  const { tempFolder, config, clock, maxSockets, project, cache: cacheFolder, warn, onFailure } = setup;
  const { now } = clock;
  const parts = createFetcherParts({ tempFolder, clock, maxSockets });
  const cache =
    cacheFolder && openResponseCache({ ...cacheFolder, config, bodies: parts.bodies, tempFolder, now });
  const network = withStorageFailures(
    createFetcher({ ...config, parts, clock, sign: signerOf(setup) }),
    tempFolder,
  );
  const { totalTimeoutMs, maxBodyBytes } = config;
  const outside = withSiteFolders(network, config.fromFolder, { now, maxBodyBytes });
  return withMiddleware(
    cache ? withCache(outside, cache, { now, warn }) : outside,
    project?.middleware ?? [],
    { clock, totalTimeoutMs, ...(onFailure && { onFailure }) },
  );
}

function signerOf({ config: { identity }, clock, warn = () => {} }: FetcherSetup): RequestSigner | undefined {
  if (identity === undefined) return undefined;
  const now = () => clock.now();
  return createRequestSigner({ identityOf: openIdentity(identity, now, warn), now, onExpired: warn });
}
