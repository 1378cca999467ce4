import { createHostConfigs } from '../../shared/core/crawl/host-config.ts';
import { allowedFrom, hoursText } from '../../shared/core/crawl/host-hours.ts';
import { MAX_SKEW_MS } from '../models/cloud.ts';
import type { Violation } from '../worlds/spec.ts';
import { type Facts, isBy } from './facts.ts';
import { createFindings, since } from './findings.ts';

type UsedFacts = Pick<Facts, 'web' | 'crawls' | 'strikes'>;

/**
 * A host that may be asked at certain hours only (`overrides`) has no request that begins outside them, by the web's log and
 * the world's clock. Clocks that differ by some time may be wrong by it.
 */
export function hoursKept({ web, crawls, strikes }: UsedFacts): readonly Violation[] {
  const findings = createFindings('hoursKept');
  const skewMs = strikes.clockSkew > 0 ? MAX_SKEW_MS : 0;
  const known = crawls.map((crawl) => ({ crawl, configOf: createHostConfigs(crawl.config) }));
  for (const request of web.log) {
    const { host, startedAt: at, url, process } = request;
    const makers = known.filter(({ crawl }) => isBy(request, crawl)).map(({ configOf }) => configOf(host));
    const [first] = makers;
    if (!first || makers.some((config) => allowedFrom(config, at - skewMs) <= at + skewMs)) continue;
    findings.add(
      `${url} (${process}) was requested ${since(at)}, outside the hours of its host: ${hoursText(first)}, which begin ${since(allowedFrom(first, at))}`,
      { host, at, excuse: strikes.clockStepped > 0 ? 'wrongClock' : undefined },
    );
  }
  return findings.list;
}
