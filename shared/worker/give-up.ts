/** When a crawl does without a host that fails, until it is resumed. */
import { isHopeless } from '../frontier/politeness.ts';
import type { Crawl } from './crawls.ts';
import type { HostState } from './host-state.ts';
import type { Services } from './services.ts';

/** Tries after which a crawl ends of which no host has ever answered. */
const FIRST_TRIES = 2;

/**
 * Gives the host up if it has failed `maxHostFailures` times in a row; or already at its second try if the crawl has not
 * had an answer from any host, unless `keepTrying`: then a seed is misspelt, or this machine has no network.
 */
export async function giveUpIfHopeless(services: Services, crawl: Crawl, state: HostState): Promise<void> {
  if (state.setAside) return;
  const { clock } = state;
  if (!isHopeless(clock, crawl.config) && !(await isAtFirstEnd(services, crawl, state))) return;
  state.setAside = { cause: clock.cause ?? 'it failed again and again', at: services.engine.clock.now() };
}

async function isAtFirstEnd(
  { engine, stats }: Services,
  { id, config }: Crawl,
  { clock, totals }: HostState,
): Promise<boolean> {
  if (config.keepTrying || clock.failures < FIRST_TRIES || totals.requests < FIRST_TRIES) return false;
  if (stats.answers > 0 || Object.keys(totals.httpStatus).length > 0) return false;
  const { httpStatus } = await engine.registry.totals(id);
  return Object.keys(httpStatus).length === 0;
}
