import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { domainLimitsOf } from '../../core/crawl/domain-limits.ts';
import {
  grantPages,
  openedCheck,
  openedHosts,
  periodAt,
  withHost,
  withLinkers,
} from '../../core/frontier/domain-state.ts';
import type { DomainShareState, Head } from '../../core/frontier/head.ts';
import { NO_LINKERS } from '../../core/frontier/linker-sketch.ts';
import { linkersOf } from '../../core/frontier/linkers-of.ts';
import type { Link } from '../../core/frontier/message.ts';
import { URL_STATES } from '../../core/frontier/url-record.ts';
import { domainOf } from '../../core/url/registrable-domain.ts';
import { budgetNow } from './budget-now.ts';
import type { TurnServices } from './services.ts';
import type { TurnCrawl } from './turn-crawl.ts';

/** Whether a host may be visited, and the pages that its domain has granted it with that. */
interface Opening {
  readonly isOpen: boolean;
  /** Absent: the share of the host is unchanged. */
  readonly share?: DomainShareState;
}

const OPEN: Opening = { isOpen: true };

/**
 * Opens a host that the crawl knows no URL of, in a crawl that limits the hosts of a domain. If the domain's quota of
 * hosts is used up, its links are skipped and counted, unless one is a seed. The domain's linkers are updated.
 */
export async function openHost(
  services: Pick<TurnServices, 'engine' | 'domains' | 'medians'>,
  crawl: TurnCrawl,
  head: Head,
  links: readonly Link[],
): Promise<Opening> {
  const { engine, domains } = services;
  const { host } = crawl;
  const domain = domainOf(host);
  const limits = domainLimitsOf(crawl.config, domain);
  const { maxHosts, budget, everyMs } = limits;
  const linkers = linkersOf(links);
  const isKnown = URL_STATES.some((state) => head.ledger.counts[state] > 0);
  if (maxHosts === undefined || isKnown || links.length === 0) {
    if (linkers !== NO_LINKERS) await domains.learn(crawl.id, domain, linkers);
    return OPEN;
  }
  const isSeed = links.some((link) => link.isSeed);
  const wanted = links.filter(({ kind }) => kind !== 'requisite').length;
  const budgetOf = await budgetNow(services, crawl, limits);
  const opening = await domains.change<Opening>(crawl.id, domain, (before) => {
    const state = withLinkers(before, linkers);
    if (!isSeed && openedHosts(state) >= maxHosts && !openedCheck(state)(host))
      return { state, skipped: links.length, result: { isOpen: false } };
    const opened = withHost(state, host);
    if (budget === undefined || wanted === 0) return { state: opened, result: OPEN };
    const period = periodAt(domain, engine.clock.now(), everyMs);
    const { state: granted, pages: left } = grantPages(opened, { period, budget: budgetOf(opened), wanted });
    const share = { period, left, ...(left === 0 && { isOut: true as const }) };
    return { state: granted, result: { isOpen: true, share } };
  });
  if (!opening.isOpen) await noteSkips(engine, crawl.id, links);
  return opening;
}

/** Notes links to a host that is not opened, which its domain counts. */
async function noteSkips(
  { skips }: Pick<TurnServices['engine'], 'skips'>,
  crawl: CrawlId,
  links: readonly Link[],
): Promise<void> {
  if (!skips) return;
  for (const { url, via } of links) skips.note(crawl, { url, reason: 'hostsPerDomain', via });
  await skips.makeDurable?.(crawl);
}
