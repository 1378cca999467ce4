import { SIZES } from '../../../core/base/sizes.ts';
import type { Link } from '../../../core/frontier/message.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { LinksByHost } from '../../../crawler/routing/links-by-host.ts';
import { shardOf } from '../shard-of.ts';

/**
 * The link shard, of `shards`, that a host belongs to. Salted, as the turn queues are chosen by the same
 * hash: else one shard's hosts would all be in few of them, and each of its events a burst for those.
 */
export const linkShardOf = (host: HostKey, shards: number): number => shardOf(`links ${host}`, shards);

/**
 * The parcels that take each host's links to its shard: every link is in exactly one of them. Hosts are in order, so
 * that a parcel of several hosts holds all links of a host, except at its ends: similar links compress well together.
 * Pure.
 */
export function splitLinks(
  byHost: LinksByHost,
  shards: number,
  maxLinks: number = SIZES.maxShardParcelLinks,
): { readonly shard: number; readonly links: readonly Link[] }[] {
  const byShard = new Map<number, Link[]>();
  for (const [host, links] of [...byHost].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const shard = linkShardOf(host, shards);
    const own = byShard.get(shard) ?? [];
    byShard.set(shard, own);
    for (const link of links.values()) own.push(link);
  }
  const parcels = [];
  for (const [shard, links] of byShard)
    for (let from = 0; from < links.length; from += maxLinks)
      parcels.push({ shard, links: links.slice(from, from + maxLinks) });
  return parcels;
}
