/** Ends a crawl whose proxy cannot be used: only the operator can fix that, and no host is to blame. */
import type { FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';

/** Failures in a row, and the time over which they came: a proxy may be restarted. */
const MOST_FAILURES = 5;
const MOST_MS = 60_000;
/** Failures in a row if nothing was ever answered: then the proxy's address is wrong, or its password. */
const FIRST_FAILURES = 3;

/**
 * Counts the proxy's failures, and pauses the crawl when they continue for a minute; or after three, if this
 * process is the only one and has never had an answer. The URLs wait as before.
 */
export async function watchProxy(
  { engine, stats, crawls }: Pick<TurnServices, 'engine' | 'stats' | 'crawls'>,
  { id, config }: Pick<TurnCrawl, 'id' | 'config'>,
  outcome: FetchOutcome,
): Promise<void> {
  if (outcome.status === 'response') stats.proxyFailures = undefined;
  if (outcome.status === 'response' || outcome.reason !== 'proxy') return;
  const now = engine.clock.now();
  const { since = now, count = 0 } = stats.proxyFailures ?? {};
  stats.proxyFailures = { since, count: count + 1 };
  const isFirst = stats.answers === 0 && !engine.registry.isShared && !config.keepTrying;
  const isOver = isFirst ? count + 1 >= FIRST_FAILURES : count + 1 >= MOST_FAILURES && now - since >= MOST_MS;
  if (!isOver) return;
  const reason = { code: 'proxy', text: `proxy: ${outcome.message}` } as const;
  await engine.registry.setStatus(id, 'paused', reason, { from: ['running'] });
  crawls.refresh(id);
  stats.proxyFailures = undefined;
}
