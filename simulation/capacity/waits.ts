/**
 * How long hosts wait beyond what politeness asks for, as the web sees it: from when one may be asked again
 * to when it is.
 */
import { type CrawlConfig, parseConfig } from '../../shared/core/crawl/config.ts';
import { gapAfter } from '../../shared/core/frontier/politeness.ts';
import type { WebRequest } from '../worlds/spec.ts';
import { createHistogram, type Histogram } from './histogram.ts';

export interface Waits {
  note(request: WebRequest): void;
  /** Between the requests of one turn, mostly: waits of less than {@link TURN_MS}. */
  readonly within: Histogram;
  /** From one turn of a host to its next. */
  readonly between: Histogram;
  /** Hosts asked so far, and pages of each, the hosts that are left out not among them. */
  pagesPerHost(): Histogram;
}

/** Waits within a turn take some ms. Longer ones are waits between turns. */
const TURN_MS = 2000;

interface Host {
  dueAt: number;
  pages: number;
}

/** Waits that begin before `from` are not noted, nor those of hosts that `isLeftOut` names. */
export function createWaits(
  config: Pick<CrawlConfig, 'delayMs'>,
  from: () => number,
  isLeftOut: (host: string) => boolean,
): Waits {
  const politeness = parseConfig({ delayMs: config.delayMs });
  const hosts = new Map<string, Host>();
  const within = createHistogram();
  const between = createHistogram();
  return {
    within,
    between,
    note(request) {
      if (isLeftOut(request.host)) return;
      const known = hosts.get(request.host);
      const host = known ?? { dueAt: 0, pages: 0 };
      if (!known) hosts.set(request.host, host);
      else if (host.dueAt >= from()) {
        const waitedMs = Math.max(0, request.startedAt - host.dueAt);
        (waitedMs < TURN_MS ? within : between).add(waitedMs);
      }
      host.dueAt = request.endedAt + gapAfter(request, politeness);
      if (!request.isRobots && request.httpStatus !== undefined) host.pages++;
    },
    pagesPerHost() {
      const pages = createHistogram();
      for (const host of hosts.values()) pages.add(host.pages);
      return pages;
    },
  };
}
