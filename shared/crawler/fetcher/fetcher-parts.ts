import type { Clock } from '../ports/clock.ts';
import { createDnsCache, type Lookup } from './dns-cache.ts';
import { createSocketBudget, type SocketBudget } from './socket-budget.ts';
import { type BodySpace, newBodySpace } from './spooled-body.ts';
import { createSystemLookup } from './system-lookup.ts';
import { TlsSessions } from './tls-sessions.ts';

/** The bounded parts of a process that all its fetchers share: it may have one for each of hundreds of crawls. */
export interface FetcherParts {
  readonly sockets: SocketBudget;
  readonly bodies: BodySpace;
  readonly resolve: ReturnType<typeof createDnsCache>;
  readonly sessions: TlsSessions;
}

export interface FetcherPartsOptions {
  /** Where bodies too large for memory go, in a file without a name. Made when first needed. */
  readonly tempFolder: string;
  /** Ages the DNS cache. */
  readonly clock: Pick<Clock, 'now'>;
  /** Resolves names instead of the system; its results are cached and guarded like all others. */
  readonly lookup?: Lookup;
  /** Sockets open at once, over all hosts; beyond, idle ones are closed, then requests wait. Default 900. */
  readonly maxSockets?: number;
}

/** AWS Lambda gives a process 1,024 file descriptors; some are for files and the engine's own connections. */
const MAX_SOCKETS = 900;

export const createFetcherParts = ({
  tempFolder,
  clock,
  lookup = createSystemLookup(),
  maxSockets = MAX_SOCKETS,
}: FetcherPartsOptions): FetcherParts => ({
  sockets: createSocketBudget(maxSockets),
  bodies: newBodySpace(tempFolder),
  resolve: createDnsCache(lookup, () => clock.now()),
  sessions: new TlsSessions(),
});
