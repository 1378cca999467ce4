import { EARLY_MS, MAX_AHEAD_MS } from '../../shared/core/frontier/crawl-rate.ts';
import { CLAIM_MS, firstBytes, LINE_SLACK_MS, NEW_SHARE } from '../../shared/core/frontier/rate-line.ts';
import { LATE_MS } from '../../shared/crawler/turn/pace/crawl-pace.ts';
import { MAX_SKEW_MS } from '../models/cloud.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { type Facts, isBy, mayHaveLostTurns } from './facts.ts';
import { createFindings, type Findings, seconds, since } from './findings.ts';

type UsedFacts = Pick<Facts, 'web' | 'crawls' | 'strikes'>;

/** Between the moment when a request may begin and its begin the host's lock is made longer: others end meanwhile. */
const LOCK_MS = 2000;

/**
 * All hosts together send a crawl no more bytes than its rate allows (`maxBytesPerSecond`), by the web's log and the world's
 * clock: in any time between the begins of two requests of one process, as many as the rate gives in it, besides what is in
 * flight at its begin, which had room before, and at its end. Over all processes a host may be late for its place, and each
 * process may have claimed two seconds. How much an answer had beyond its room, others know only for the places that they
 * take afterwards.
 */
export function crawlRateKept({ web, crawls, strikes }: UsedFacts): readonly Violation[] {
  const findings = createFindings('crawlRateKept');
  const isFrozen = strikes.workerFrozen + strikes.callStruck + strikes.pageHarms > 0;
  const skewMs = strikes.clockSkew > 0 ? 2 * MAX_SKEW_MS : 0;
  const lost = mayHaveLostTurns({ strikes }) ? 'lostTurn' : undefined;
  for (const crawl of crawls) {
    const rate = crawl.config.maxBytesPerSecond;
    if (rate === undefined) continue;
    const own = web.log.filter((request) => isBy(request, crawl));
    const processes = Map.groupBy(own, ({ process }) => process);
    for (const requests of processes.values())
      checkRequests(findings, requests, {
        rate,
        beyondMs: LINE_SLACK_MS,
        // A thread that stood still does not know yet what came meanwhile.
        excuse: isFrozen ? 'lostTurn' : undefined,
      });
    checkRequests(findings, own, {
      rate,
      beyondMs: LATE_MS + EARLY_MS + skewMs + processes.size * CLAIM_MS,
      unknownMs: MAX_AHEAD_MS + LATE_MS + EARLY_MS + skewMs,
      excuse: strikes.clockStepped > 0 ? 'wrongClock' : lost,
    });
  }
  return findings.list;
}

interface RateTerms {
  /** Bytes a second. */
  readonly rate: number;
  /** A time may have as many bytes more as come in this one. */
  readonly beyondMs: number;
  /** For so long a place may be used that another process took without knowing of an answer: such an answer counts with its room. */
  readonly unknownMs?: number;
  readonly excuse: 'wrongClock' | 'lostTurn' | undefined;
}

/** `requests`: of one crawl. */
function checkRequests(
  findings: Findings,
  requests: readonly WebRequest[],
  { rate, beyondMs, unknownMs = 0, excuse }: RateTerms,
): void {
  const inOrder = requests.toSorted((a, b) => a.startedAt - b.startedAt);
  const room = mostRoom(requests, rate);
  for (const [j, after] of inOrder.entries()) {
    let bytes = 0;
    for (let i = j - 1; i >= 0; i--) {
      const before = inOrder[i] as WebRequest;
      if (before.endedAt <= after.startedAt - LOCK_MS) {
        const isKnown = before.process === after.process || before.endedAt <= after.startedAt - unknownMs;
        bytes += Math.min(before.bytes ?? 0, isKnown ? Number.POSITIVE_INFINITY : room);
      }
      const tookMs = after.startedAt - before.startedAt;
      const most = ((tookMs + beyondMs) * rate) / 1000;
      // Mostly nothing is beyond it, so what was in flight is counted only then.
      if (bytes <= most || bytes <= most + (1 + inFlightAt(inOrder, i)) * room) continue;
      findings.add(
        `${after.url} (${after.process}, ${since(after.startedAt)}) began ${seconds(tookMs)} after ${before.url} (${before.process}, ${since(before.startedAt)}), since when all hosts have sent ${bytes} bytes; at ${rate} bytes/s that takes ${seconds((1000 * bytes) / rate)}`,
        { host: after.host, at: after.startedAt, excuse },
      );
      break;
    }
  }
}

/** The bytes for which a request had room at most: as many as answers had before on average, over the last ones of its process. */
function mostRoom(requests: readonly WebRequest[], rate: number): number {
  let most = firstBytes(rate);
  for (const own of Map.groupBy(requests, ({ process }) => process).values()) {
    let mean = firstBytes(rate);
    for (const { bytes = 0 } of own.toSorted((a, b) => a.endedAt - b.endedAt)) {
      mean += NEW_SHARE * (bytes - mean);
      most = Math.max(most, mean);
    }
  }
  return most;
}

/** How many requests were in flight when that one began. */
const inFlightAt = (inOrder: readonly WebRequest[], i: number): number => {
  const { startedAt } = inOrder[i] as WebRequest;
  return inOrder.slice(0, i).filter(({ endedAt }) => endedAt > startedAt).length;
};
