import type { CrawlId } from '../crawl/crawl-id.ts';
import { domainLimitsOf } from '../crawl/domain-limits.ts';
import { grantPages, openedCheck, openedHosts, periodAt, withHost } from '../frontier/domain-state.ts';
import type { DomainShareState, Head } from '../frontier/head.ts';
import type { Link } from '../frontier/message.ts';
import { URL_STATES } from '../frontier/url-record.ts';
import { domainOf } from '../url/registrable-domain.ts';
import type { TurnServices } from './services.ts';
import type { TurnCrawl } from './turn-crawl.ts';

/** Whether a host may be visited, and the pages that its domain has granted it with that. */
interface Opening {
  readonly isOpen: boolean;
  readonly share?: DomainShareState;
}

const OPEN: Opening = { isOpen: true };

/**
 * Opens a host that the crawl knows no URL of, in a crawl that limits the hosts of a domain. Where the domain has no
 * room for it, its links are skipped and counted, unless one is a seed.
 */
export async function openHost(
  { engine, domains }: Pick<TurnServices, 'engine' | 'domains'>,
  crawl: TurnCrawl,
  { ledger: { counts } }: Head,
  links: readonly Link[],
): Promise<Opening> {
  const { host } = crawl;
  const domain = domainOf(host);
  const { maxHosts, budget, everyMs } = domainLimitsOf(crawl.config, domain);
  const isKnown = URL_STATES.some((state) => counts[state] > 0);
  if (maxHosts === undefined || isKnown || links.length === 0) return OPEN;
  const isSeed = links.some((link) => link.isSeed);
  const wanted = links.filter(({ kind }) => kind !== 'requisite').length;
  const opening = await domains.change<Opening>(crawl.id, domain, (state) => {
    if (!isSeed && openedHosts(state) >= maxHosts && !openedCheck(state)(host))
      return { skipped: links.length, result: { isOpen: false } };
    const opened = withHost(state, host);
    if (budget === undefined || wanted === 0) return { state: opened, result: OPEN };
    const period = periodAt(domain, engine.clock.now(), everyMs);
    const { state: granted, pages: left } = grantPages(opened, { period, budget, wanted });
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
