/** The limits of a registrable domain: how many of its pages are requested in a period, and how many of its hosts. */
import type { CrawlConfig } from './crawl-options.ts';

/** In a crawl of the whole web, where the operator says nothing else. */
const DEFAULT_DOMAIN_BUDGET = 1000;
const DEFAULT_HOSTS_PER_DOMAIN = 1000;

export interface DomainLimits {
  /** Requests for pages of all hosts of a domain in a period. Absent: no limit. */
  readonly budget?: number;
  /** It is more for a domain to which more domains link than to most (`frontier/link-budget.ts`). */
  readonly growsByLinks?: boolean;
  /** The period, in ms. */
  readonly everyMs: number;
  /** Hosts of a domain that are opened. Absent: no limit. */
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
  const given = domainBudget ?? (scope === 'any' ? DEFAULT_DOMAIN_BUDGET : 'off');
  const byLinks = linkBudget(domainBudget);
  const budget = own ?? byLinks ?? (given as number | 'off');
  const maxHosts = maxHostsPerDomain(config);
  return {
    everyMs,
    ...(budget !== 'off' && { budget }),
    ...(own === undefined && byLinks !== undefined && { growsByLinks: true }),
    ...(maxHosts !== undefined && { maxHosts }),
  };
}

/** The budget that each domain has at least in a crawl whose budgets grow by links. Undefined in others. */
export function linkBudget(domainBudget: DomainConfig['domainBudget']): number | undefined {
  if (typeof domainBudget !== 'string' || domainBudget === 'off') return undefined;
  return domainBudget === 'links' ? DEFAULT_DOMAIN_BUDGET : Number(domainBudget.slice('links:'.length));
}

/** Hosts of each domain that are opened. Absent: no limit. */
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
