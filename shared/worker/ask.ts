import { gapAfter, maxGapAfter } from '../frontier/politeness.ts';
import type { FetchOutcome, FetchRequest, HostKey } from '../ports.ts';
import { atHost } from './at-host.ts';
import type { Crawl } from './crawls.ts';
import { type HostState, reading } from './host-state.ts';
import type { Services } from './services.ts';

/** How old a status may be that a turn has heard (docs/aws.md, "Operate"). */
const HEARD_MS = 2000;
const NO_TIME = 'there was no time left for it';

/**
 * One exchange with `host`, after those of other turns with it. If it could be begun only when the turn's time for
 * requests is over, it is not begun, and counts as dropped by ourselves. The host is locked beyond the request and the
 * rest that is due after it: should this process die, whoever gets the host next knows of neither.
 */
export async function ask(
  { engine: { clock }, crawls, lanes, fetcherOf, stopping, stats }: Services,
  crawl: Crawl,
  state: HostState,
  host: HostKey,
  request: Omit<FetchRequest, 'signal'>,
  crawlDelayMs?: number,
): Promise<FetchOutcome> {
  const { totalTimeoutMs } = crawl.config;
  // A robots.txt may lead to another host, which has a pace of its own.
  const itsConfig = atHost(crawl.everywhere ?? crawl, host).config;
  const itsDelayMs = host === state.host ? crawlDelayMs : undefined;
  const gapMs = gapAfter({ startedAt: 0, endedAt: 0, crawlDelayMs: itsDelayMs }, itsConfig);
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
  const outcome = await lanes.run(host, itsConfig.perHost, gapMs, state.lastRequestAt, async () => {
    if (host === state.host) await state.lease.lockFor(lockedMs);
    if (clock.now() > state.lastRequestAt) return unmade(NO_TIME);
    // Another crawl's turn may have kept it waiting for long.
    if (clock.now() - begunAt > HEARD_MS && (await crawls.get(crawl.id))?.status !== 'running')
      return unmade('the crawl does not run');
    return reading(state, () => fetcherOf(crawl.everywhere ?? crawl).fetch({ ...request, signal: stopping }));
  });
  if (outcome?.status === 'response') stats.answers++;
  return outcome ?? unmade(NO_TIME);
}
