import type { CrawlConfig } from '../crawl/config.ts';
import { domainLimitsOf } from '../crawl/domain-limits.ts';
import { NO_DOMAIN_STATE, openedCheck, openedHosts, periodAt, periodEnd } from '../frontier/domain-state.ts';
import type { Head } from '../frontier/head.ts';
import { countUrls } from '../frontier/url-record.ts';
import type { HostKey } from '../url/host-key.ts';
import { domainOf } from '../url/registrable-domain.ts';
import type { DomainWord } from './explanation.ts';
import { isoTime } from './url-detail.ts';

interface DomainFacts {
  readonly config: CrawlConfig;
  readonly host: HostKey;
  /** The host's. */
  readonly head?: Head | undefined;
  /** That of its registrable domain. */
  readonly domainHead?: Head | undefined;
  readonly isSeed: boolean;
  readonly now: number;
}

/** Explains what the limits of its registrable domain leave a host. Undefined in a crawl without such limits. */
export function explainDomain({
  config,
  host,
  head,
  domainHead,
  isSeed,
  now,
}: DomainFacts): DomainWord | undefined {
  const domain = domainOf(host);
  const { budget, everyMs, maxHosts } = domainLimitsOf(config, domain);
  if (budget === undefined && maxHosts === undefined) return undefined;
  const state = domainHead?.domain ?? NO_DOMAIN_STATE;
  const period = periodAt(domain, now, everyMs);
  const isKnown = head !== undefined && countUrls(head.ledger.counts) > 0;
  const hosts = openedHosts(state);
  return {
    domain,
    hosts,
    ...(budget !== undefined && {
      budget,
      granted: state.granted[period] ?? 0,
      nextBudgetAt: isoTime(periodEnd(domain, period, everyMs)),
    }),
    ...(maxHosts !== undefined && { maxHosts }),
    isFull: maxHosts !== undefined && !isKnown && !isSeed && hosts >= maxHosts && !openedCheck(state)(host),
    isOut:
      budget !== undefined &&
      (head?.share?.period === period ? head.share.isOut === true : (state.granted[period] ?? 0) >= budget),
  };
}
