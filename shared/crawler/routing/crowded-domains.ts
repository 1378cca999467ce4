import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { maxHostsPerDomain } from '../../core/crawl/domain-limits.ts';
import { openedCheck, openedHosts, withLinkers } from '../../core/frontier/domain-state.ts';
import { linkersOf } from '../../core/frontier/linkers-of.ts';
import type { Link } from '../../core/frontier/message.ts';
import { domainOf } from '../../core/url/registrable-domain.ts';
import type { Crawls } from '../crawl-state/crawls.ts';
import { createDomainHeads, type DomainHeads } from '../turn/links/domain-heads.ts';
import type { LinksByHost } from './links-by-host.ts';

/**
 * If links lead to more hosts of a domain than this at once, the domain's quota is claimed before each of them gets a
 * message.
 */
const CROWD = 16;

/**
 * Leaves out links to hosts beyond their domain's quota, if there are many such hosts at once: a domain with a million
 * hosts costs one read and one write then, not a million messages. If there are fewer, the hosts' own turns claim
 * (`turn/open-host.ts`). Links that are left out are counted by domain, and not logged: a stranger could fill that.
 */
export async function withoutCrowds(
  engine: Parameters<typeof createDomainHeads>[0],
  crawls: Crawls,
  gathered: ReadonlyMap<CrawlId, LinksByHost>,
): Promise<ReadonlyMap<CrawlId, LinksByHost>> {
  const domains = createDomainHeads(engine);
  const kept = new Map<CrawlId, LinksByHost>();
  for (const [id, byHost] of gathered) {
    const crawl = await crawls.get(id);
    const maxHosts = crawl && maxHostsPerDomain(crawl.config);
    kept.set(id, maxHosts === undefined ? byHost : await thinned({ domains, id, maxHosts }, byHost));
  }
  return kept;
}

interface Context {
  readonly domains: DomainHeads;
  readonly id: CrawlId;
  readonly maxHosts: number;
}

async function thinned({ domains, id, maxHosts }: Context, byHost: LinksByHost): Promise<LinksByHost> {
  if (byHost.size <= CROWD) return byHost;
  const crowds = Map.groupBy(byHost.keys(), domainOf);
  const left = new Map(byHost);
  for (const [domain, hosts] of crowds) {
    if (hosts.length <= CROWD) continue;
    const state = await domains.load(id, domain);
    const isOpened = openedCheck(state);
    let room = maxHosts - openedHosts(state);
    const refused = hosts.filter((host) => {
      if (isOpened(host) || hasSeed(byHost.get(host))) return false;
      return room-- <= 0;
    });
    if (refused.length === 0) continue;
    const links = refused.flatMap((host) => [...(byHost.get(host)?.values() ?? [])]);
    const linkers = linkersOf(links);
    await domains.change(id, domain, (before) => ({
      state: withLinkers(before, linkers),
      skipped: links.length,
      result: undefined,
    }));
    for (const host of refused) left.delete(host);
  }
  return left;
}

function hasSeed(links: ReadonlyMap<string, Link> = new Map()): boolean {
  for (const { isSeed } of links.values()) if (isSeed) return true;
  return false;
}
