/** An operator's query about the registrable domains of a crawl. */
import type { CrawlConfig } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { isDomain } from '../../core/frontier/domain-state.ts';
import { medianLinkers } from '../../core/frontier/link-budget.ts';
import type { CrawlRegistry } from '../../crawler/ports/crawl-registry.ts';
import { domainEntry } from '../report/domain-entry.ts';
import type { DomainPage } from './control.ts';
import type { ControlEngine } from './control-engine.ts';
import { checkedLimit, type HostPageRequest } from './host-queries.ts';

export interface DomainsAsked {
  readonly ledgers: Pick<ControlEngine['ledgers'], 'hostPage'>;
  readonly registry: Pick<CrawlRegistry, 'totals'>;
  readonly crawl: CrawlId;
  readonly config: CrawlConfig;
  readonly now: number;
}

/** Domains are kept among the hosts: as many pages of those are read until one has a domain. */
const MAX_PAGES = 20;

/**
 * The domains that have opened hosts or granted pages, in a crawl that limits them; a page may be short. Throws
 * {@link ControlError} for a limit that is not from 1 to 1,000, and for an unknown cursor.
 */
export async function pageOfDomains(
  { ledgers, registry, crawl, config, now }: DomainsAsked,
  { cursor, limit }: HostPageRequest,
): Promise<DomainPage> {
  const most = checkedLimit(limit);
  const median = medianLinkers((await registry.totals(crawl)).linking);
  let from = cursor;
  for (let pages = 1; ; pages++) {
    const page = await ledgers.hostPage(crawl, from, most);
    const domains = page.hosts.flatMap(({ host, head: { domain } }) =>
      domain && isDomain(domain) ? [domainEntry(config, host.slice(1), domain, { median, now })] : [],
    );
    from = page.cursor;
    if (domains.length === 0 && from !== undefined && pages < MAX_PAGES) continue;
    return { domains, medianLinkers: median, ...(from !== undefined && { cursor: from }) };
  }
}
