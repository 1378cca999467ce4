import { sizesOf } from '../../core/base/sizes.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { foldLink } from '../../core/frontier/fold-links.ts';
import type { Link } from '../../core/frontier/message.ts';
import { reasonAgainst } from '../../core/frontier/reason-against.ts';
import { type HostKey, hostKey } from '../../core/url/host-key.ts';
import type { Crawls } from '../crawl-state/crawls.ts';
import type { Engine } from '../ports/engine.ts';
import type { LinkParcel } from '../ports/link-exchange.ts';
import { withoutCrowds } from './crowded-domains.ts';
import { createLinkerCounts, type LinkerCounts } from './linker-counts.ts';
import type { LinksByHost } from './links-by-host.ts';

/**
 * Delivers the links of many turns to their hosts, one message for each host and crawl, so that a popular
 * host receives one message a window however many pages link to it. Drops what the scope rules out. Safe to
 * repeat.
 */
export async function routeParcels(
  engine: Pick<Engine, 'queue' | 'exchange' | 'sizes' | 'ledgers' | 'clock'>,
  crawls: Crawls,
  parcels: readonly LinkParcel[],
): Promise<void> {
  await deliverLinks(engine, await withoutCrowds(engine, crawls, await gatherLinks(crawls, parcels)));
  await engine.exchange.acknowledge(parcels);
}

/**
 * The first part: the links by crawl and host, but those that the scope rules out, and those of crawls not
 * there.
 */
export async function gatherLinks(
  crawls: Crawls,
  parcels: readonly LinkParcel[],
): Promise<ReadonlyMap<CrawlId, LinksByHost>> {
  const byCrawl = new Map<CrawlId, Map<HostKey, Map<string, Link>>>();
  const linkers = new Map<CrawlId, LinkerCounts>();
  for (const { outLinks } of parcels) {
    const crawl = await crawls.get(outLinks.crawl);
    if (!crawl) continue;
    const byHost = getOrAdd(byCrawl, crawl.id, () => new Map<HostKey, Map<string, Link>>());
    const counts = linkers.get(crawl.id) ?? createLinkerCounts(crawl.config);
    if (counts) linkers.set(crawl.id, counts);
    for (const given of outLinks.links) {
      // Pages' links have passed the URL rules; seeds come as the operator wrote them.
      const link = given.isSeed ? { ...given, url: crawl.nameOf(given.url) } : given;
      if (reasonAgainst(crawl.scope, link) !== undefined) continue;
      const host = hostKey(link.url);
      counts?.add(host, link);
      foldLink(
        getOrAdd(byHost, host, () => new Map<string, Link>()),
        link,
      );
    }
  }
  for (const [id, counts] of linkers) {
    const byHost = byCrawl.get(id) ?? new Map<HostKey, Map<string, Link>>();
    for (const [host, links] of byHost) counts.addTo(host, links);
  }
  return byCrawl;
}

/** The last part: sends each host its links. */
export async function deliverLinks(
  { queue, sizes }: Pick<Engine, 'queue' | 'sizes'>,
  gathered: ReadonlyMap<CrawlId, LinksByHost>,
): Promise<void> {
  const { maxMessageLinks } = sizesOf({ sizes });
  const messages = [...gathered].flatMap(([crawl, byHost]) =>
    [...byHost].flatMap(([host, links]) =>
      chunks([...links.values()], maxMessageLinks).map((chunk) => ({
        host,
        message: { kind: 'links' as const, crawl, links: chunk },
      })),
    ),
  );
  if (messages.length > 0) await queue.send(messages);
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let from = 0; from < items.length; from += size) parts.push(items.slice(from, from + size));
  return parts;
}
