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

type DomainConfig = Pick<
  CrawlConfig,
  'scope' | 'domainBudget' | 'domainBudgets' | 'domainBudgetEveryMs' | 'maxHostsPerDomain'
>;

/** The limits of a registrable domain in a crawl. Only in a crawl of the whole web there are some by default: it goes where links lead. */
export function domainLimitsOf(config: DomainConfig, domain: string): DomainLimits {
  const { scope, domainBudget, domainBudgets, domainBudgetEveryMs: everyMs } = config;
  const own = Object.hasOwn(domainBudgets, domain) ? domainBudgets[domain] : undefined;
  const budget = own ?? domainBudget ?? (scope === 'any' ? DEFAULT_DOMAIN_BUDGET : 'off');
  const maxHosts = maxHostsPerDomain(config);
  return {
    everyMs,
    ...(budget !== 'off' && { budget }),
    ...(maxHosts !== undefined && { maxHosts }),
  };
}

/** Hosts of each domain that are opened. None: there is no such limit. */
export function maxHostsPerDomain({
  scope,
  maxHostsPerDomain: given,
}: Pick<DomainConfig, 'scope' | 'maxHostsPerDomain'>): number | undefined {
  const most = given ?? (scope === 'any' ? DEFAULT_HOSTS_PER_DOMAIN : 'off');
  return most === 'off' ? undefined : most;
}

/** The longest that a host of the crawl may wait for the next budget of its domain; 0 if none has a budget. */
export function longestBudgetWaitMs({
  scope,
  domainBudget,
  domainBudgets,
  domainBudgetEveryMs,
}: DomainConfig): number {
  const isOff = domainBudget === 'off' || (domainBudget === undefined && scope !== 'any');
  return isOff && Object.keys(domainBudgets).length === 0 ? 0 : domainBudgetEveryMs;
}
