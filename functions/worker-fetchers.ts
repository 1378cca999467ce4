import { tmpdir } from 'node:os';
import type { CrawlConfig } from '../shared/core/crawl/config.ts';
import { createBlockGuard } from '../shared/crawler/fetcher/address-guard.ts';
import { createFetcher } from '../shared/crawler/fetcher/fetcher.ts';
import { createFetcherParts } from '../shared/crawler/fetcher/fetcher-parts.ts';
import type { RequestSigner } from '../shared/crawler/fetcher/request-signer.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { Fetcher } from '../shared/crawler/ports/fetcher.ts';
import { createFetchers, type Fetchers } from '../shared/crawler/worker/fetchers.ts';
import type { StackSettings } from '../shared/engines/aws/settings.ts';
import { withMiddleware } from '../shared/services/hooks/with-middleware.ts';
import type { FetchMiddleware } from '../shared/services/project/project.ts';
import { errorFields, type Log } from './log.ts';

export interface WorkerFetchersOptions {
  readonly settings: Pick<StackSettings, 'allowPrivateAddresses' | 'allowPorts' | 'hostsPerWorker'>;
  readonly clock: Clock;
  readonly middleware: readonly FetchMiddleware[];
  readonly log: Log;
  /** Signs the requests of all crawls. Default: none is signed. */
  readonly sign?: RequestSigner | undefined;
}

/**
 * At most this many of the 1,024 file descriptors that Lambda gives a process. The rest is for files and the engine's
 * connections, which grow with the hosts from 150 to 450 (`engines/aws/clients.ts`).
 */
const MAX_SOCKETS = 800;
const MAX_SOCKETS_OF_MANY_HOSTS = 500;
const MANY_HOSTS = 50;
/** Fetchers kept however few hosts a worker serves. */
const MIN_FETCHERS = 8;

/** The number of sockets that all fetchers of a worker of `hosts` hosts share. */
export const socketsFor = (hosts: number): number =>
  hosts > MANY_HOSTS ? MAX_SOCKETS_OF_MANY_HOSTS : MAX_SOCKETS;

/** The fetchers of all crawls that the worker meets, within what the stack allows. */
export function createWorkerFetchers(options: WorkerFetchersOptions): Fetchers {
  const { settings, clock, middleware, log, sign } = options;
  const { hostsPerWorker } = settings;
  const maxSockets = socketsFor(hostsPerWorker);
  const parts = createFetcherParts({ tempFolder: tmpdir(), clock, maxSockets });
  const isOpen = createBlockGuard(settings.allowPrivateAddresses);
  function make(config: CrawlConfig): Fetcher {
    const fetcher = createFetcher({
      ...config,
      allowPrivateAddresses: config.allowPrivateAddresses.filter(isOpen),
      allowPorts: config.allowPorts.filter((port) => settings.allowPorts?.includes(port)),
      // Anybody who may start a crawl chooses its proxies.
      guardsProxies: true,
      // The disk is sized by it: no request may exceed it.
      mostBodyBytes: config.maxBodyBytes,
      parts,
      sign,
      clock,
    });
    return withMiddleware(fetcher, middleware, { clock, totalTimeoutMs: config.totalTimeoutMs });
  }
  // Each host served may be of a crawl of its own: a fetcher that takes turns with others would connect for each page.
  const max = Math.max(MIN_FETCHERS, hostsPerWorker);
  return createFetchers({ make, max, onError: (error) => log('warn', errorFields(error)) });
}
