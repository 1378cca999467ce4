/** Estimates a crawl of a site by its map and by how fast the site has answered. */
import { hostRate } from '../../../shared/core/frontier/byte-rate.ts';
import {
  archiveBytesOf,
  type CrawlShape,
  courseOnMachine,
  USUAL_PAGE_BYTES,
} from '../../estimate/estimate-crawl.ts';
import type { MapOptions, SiteEstimate } from '../../map-options.ts';
import { openMap } from './open-map.ts';

const HOUR_MS = 3_600_000;

export async function estimateMap(url: string, options: MapOptions): Promise<SiteEstimate> {
  await using map = await openMap(url, options);
  let pages = 0;
  for await (const _ of map.urls()) pages++;
  const { config, requests, walk } = map;
  const hosts = walk.hosts.size;
  const delayMs = Math.max(config.delayMs, ...[...walk.hosts].map((host) => requests.delayOf(host)));
  if (pages === 0) return { pages, hasMore: false, hosts, ms: 0, bytes: 0, delayMs };
  const shape: CrawlShape = {
    pages,
    hosts,
    spread: 'even',
    delayMs,
    adaptiveFactor: config.adaptive ? config.adaptiveFactor : 0,
    responseMs: [medianOf(requests.durations)],
    pageBytes: USUAL_PAGE_BYTES,
    hostRate: hostRate(config),
    crawlRate: config.maxBytesPerSecond,
  };
  return {
    pages,
    hasMore: walk.hasMore,
    hosts,
    ms: Math.round(courseOnMachine(shape).hours * HOUR_MS),
    bytes: archiveBytesOf(shape),
    delayMs,
  };
}

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return Math.max(1, sorted[sorted.length >> 1] ?? 1);
}
