import type { CrawlConfig } from '../../core/crawl/config.ts';
import { domainLimitsOf } from '../../core/crawl/domain-limits.ts';
import { NO_DOMAIN_STATE, openedCheck, periodAt } from '../../core/frontier/domain-state.ts';
import type { Head } from '../../core/frontier/head.ts';
import { countUrls } from '../../core/frontier/url-record.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import { domainOf } from '../../core/url/registrable-domain.ts';
import { domainEntry } from './domain-entry.ts';
import type { DomainWord } from './explanation.ts';

interface DomainFacts {
  readonly config: CrawlConfig;
  readonly host: HostKey;
  /** The host's. */
  readonly head?: Head | undefined;
  /** The budget of its registrable domain. */
  readonly domainHead?: Head | undefined;
  readonly isSeed: boolean;
  /** How many domains link to the crawl's median domain. Default: 1. */
  readonly medianLinkers?: number | undefined;
  readonly now: number;
}

/** Explains what the limits of its registrable domain leave a host. Undefined in a crawl without such limits. */
export function explainDomain({
  config,
  host,
  head,
  domainHead,
  isSeed,
  medianLinkers: median = 1,
  now,
}: DomainFacts): DomainWord | undefined {
  const domain = domainOf(host);
  const limits = domainLimitsOf(config, domain);
  if (limits.budget === undefined && limits.maxHosts === undefined) return undefined;
  const state = domainHead?.domain ?? NO_DOMAIN_STATE;
  const entry = domainEntry(config, domain, state, { median, now });
  const { hosts, maxHosts, budget, granted = 0 } = entry;
  const isKnown = head !== undefined && countUrls(head.ledger.counts) > 0;
  const isCurrent = head?.share?.period === periodAt(domain, now, limits.everyMs);
  return {
    ...entry,
    ...(limits.growsByLinks && { medianLinkers: median }),
    isFull: maxHosts !== undefined && !isKnown && !isSeed && hosts >= maxHosts && !openedCheck(state)(host),
    isOut: budget !== undefined && (isCurrent ? head?.share?.isOut === true : granted >= budget),
  };
}
