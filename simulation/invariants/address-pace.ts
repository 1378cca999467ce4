import type { Violation, WebRequest } from '../worlds/spec.ts';
import { type Facts, type Maker, makersIn, makersOf } from './facts.ts';
import { createFindings, seconds, since } from './findings.ts';

type UsedFacts = Pick<Facts, 'web' | 'crawls' | 'deletion'>;

/**
 * Where hosts share IP addresses and a crawl gives these a pace (`ipDelayMs`), a process has one of its requests to an
 * address in flight, over all its hosts, and begins the next one only after that time; by the web's log, to the
 * millisecond. The gap before a request is by the crawl that made it.
 */
export function addressPace(facts: UsedFacts): readonly Violation[] {
  const findings = createFindings('addressPace');
  const all = makersIn(facts);
  const paced = facts.web.log.filter((request) => request.address !== undefined && delayOf(request, all) > 0);
  const lines = Map.groupBy(paced, ({ address, process }) => `${process} ${address}`);
  for (const requests of lines.values()) {
    requests.sort((a, b) => a.startedAt - b.startedAt);
    let before: WebRequest | undefined;
    for (const request of requests) {
      const delayMs = delayOf(request, all);
      const gapMs = before === undefined ? Number.POSITIVE_INFINITY : request.startedAt - before.endedAt;
      if (before && gapMs < delayMs)
        findings.add(
          `${request.url} (${request.process}, ${since(request.startedAt)}) began ${seconds(gapMs)} after the end, ${since(before.endedAt)}, of ${before.url} at the same address ${request.address}; expected at least ${seconds(delayMs)} (ipDelayMs)`,
          { host: request.host, at: request.startedAt },
        );
      if (before === undefined || request.endedAt > before.endedAt) before = request;
    }
  }
  return findings.list;
}

/** The least that any crawl which may have made the request allows. */
const delayOf = (request: WebRequest, all: readonly Maker[]): number =>
  Math.min(...makersOf(request, all).map(({ config }) => config.ipDelayMs));
