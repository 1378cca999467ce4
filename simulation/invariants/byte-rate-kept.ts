import { createHostConfigs } from '../../shared/core/crawl/host-config.ts';
import { hostRate } from '../../shared/core/frontier/byte-rate.ts';
import { MAX_SKEW_MS } from '../models/cloud.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { type Facts, isBy, mayHaveLostTurns } from './facts.ts';
import { createFindings, type Findings, seconds, since } from './findings.ts';

type UsedFacts = Pick<Facts, 'web' | 'crawls' | 'strikes'>;

/**
 * A host sends a crawl no more bytes than its rate allows (`maxBytesPerSecondPerHost`), by the web's log and the world's clock: in
 * any time between the begins of two requests, as many as the rate gives in it, besides those of requests in flight at its end.
 */
export function byteRateKept({ web, crawls, strikes }: UsedFacts): readonly Violation[] {
  const findings = createFindings('byteRateKept');
  const skewMs = strikes.clockSkew > 0 ? 2 * MAX_SKEW_MS : 0;
  const excuse = strikes.clockStepped > 0 ? 'wrongClock' : undefined;
  const mayLose = mayHaveLostTurns({ strikes });
  for (const crawl of crawls) {
    const configOf = createHostConfigs(crawl.config);
    const own = web.log.filter((request) => isBy(request, crawl));
    for (const [host, requests] of Map.groupBy(own, (request) => request.host)) {
      const rate = hostRate(configOf(host));
      if (rate !== undefined) checkHost(findings, requests, { rate, skewMs, excuse, mayLose });
    }
  }
  return findings.list;
}

interface RateTerms {
  /** Bytes a second. */
  readonly rate: number;
  readonly skewMs: number;
  readonly excuse: 'wrongClock' | undefined;
  readonly mayLose: boolean;
}

/** `requests`: of one crawl to one host. */
function checkHost(
  findings: Findings,
  requests: readonly WebRequest[],
  { rate, skewMs, excuse, mayLose }: RateTerms,
): void {
  const inOrder = requests.toSorted((a, b) => a.startedAt - b.startedAt);
  for (const [j, after] of inOrder.entries()) {
    let bytes = 0;
    for (const before of inOrder.slice(0, j).reverse()) {
      if (before.endedAt > after.startedAt) continue;
      bytes += before.bytes ?? 0;
      const tookMs = after.startedAt - before.startedAt;
      const neededMs = Math.floor((bytes * 1000) / rate);
      const slackMs = after.process === before.process ? 0 : skewMs;
      if (tookMs + slackMs >= neededMs) continue;
      findings.add(
        `${after.url} (${after.process}, ${since(after.startedAt)}) began ${seconds(tookMs)} after ${before.url} (${before.process}, ${since(before.startedAt)}), since when ${bytes} bytes were received; at ${rate} bytes/s that takes ${seconds(neededMs)}`,
        {
          host: after.host,
          at: after.startedAt,
          excuse: mayLose && after.process !== before.process ? 'lostTurn' : excuse,
        },
      );
      break;
    }
  }
}
