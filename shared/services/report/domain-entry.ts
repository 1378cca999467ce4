import { isoTime } from '../../core/base/iso-time.ts';
import type { CrawlConfig } from '../../core/crawl/crawl-options.ts';
import { domainLimitsOf } from '../../core/crawl/domain-limits.ts';
import { type DomainState, openedHosts, periodAt, periodEnd } from '../../core/frontier/domain-state.ts';
import { budgetByLinks } from '../../core/frontier/link-budget.ts';
import { countLinkers, NO_LINKERS } from '../../core/frontier/linker-sketch.ts';

/** A registrable domain of a crawl, as people see it. */
export interface DomainEntry {
  readonly domain: string;
  /**
   * Requests for its pages in a period, and those granted to its hosts in this period. Absent: the domain has no
   * budget.
   */
  readonly budget?: number;
  readonly granted?: number;
  /** When the next period begins. ISO 8601, UTC. */
  readonly nextBudgetAt?: string;
  /** Its hosts that were opened, and how many may be. */
  readonly hosts: number;
  readonly maxHosts?: number;
  /** Approximate number of other domains that link to it; only if budgets grow by links. */
  readonly linkers?: number;
}

/** `median`: how many domains link to the crawl's median domain. */
export function domainEntry(
  config: CrawlConfig,
  domain: string,
  state: Omit<DomainState, 'writer'>,
  { median, now }: { readonly median: number; readonly now: number },
): DomainEntry {
  const { budget, growsByLinks, everyMs, maxHosts } = domainLimitsOf(config, domain);
  const period = periodAt(domain, now, everyMs);
  return {
    domain,
    hosts: openedHosts(state),
    ...(budget !== undefined && {
      budget: growsByLinks ? budgetByLinks(budget, state.linkers, median) : budget,
      granted: state.granted[period] ?? 0,
      nextBudgetAt: isoTime(periodEnd(domain, period, everyMs)),
    }),
    ...(maxHosts !== undefined && { maxHosts }),
    ...(growsByLinks && { linkers: countLinkers(state.linkers ?? NO_LINKERS) }),
  };
}
