/** The limits of a registrable domain: how many of its pages are requested in a period, and how many of its hosts. */
import type { CrawlConfig } from './crawl-options.ts';

/** In a crawl of the whole web, where the operator says nothing else. */
export const DEFAULT_DOMAIN_BUDGET = 1000;
export const DEFAULT_HOSTS_PER_DOMAIN = 1000;

export interface DomainLimits {
  /** Requests for pages of all hosts of a domain in a period. None: there is no such limit. */
  readonly budget?: number;
  /** The period, in ms. */
  readonly everyMs: number;
  /** Hosts of a domain that are opened. None: there is no such limit. */
  readonly maxHosts?: number;
}

type DomainConfig = Pick<CrawlConfig, 'scope' | 'domainBudget' | 'domainBudgetEveryMs' | 'maxHostsPerDomain'>;

/** The limits of a crawl. Only in a crawl of the whole web there are some by default: it goes where links lead. */
export function domainLimitsOf(config: DomainConfig): DomainLimits {
  const { scope, domainBudget, domainBudgetEveryMs: everyMs, maxHostsPerDomain } = config;
  const isBroad = scope === 'any';
  const budget = domainBudget ?? (isBroad ? DEFAULT_DOMAIN_BUDGET : 'off');
  const maxHosts = maxHostsPerDomain ?? (isBroad ? DEFAULT_HOSTS_PER_DOMAIN : 'off');
  return {
    everyMs,
    ...(budget !== 'off' && { budget }),
    ...(maxHosts !== 'off' && { maxHosts }),
  };
}
