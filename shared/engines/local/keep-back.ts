import type { DatabaseSync } from 'node:sqlite';
import type { CrawlConfig } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { createHostConfigs } from '../../core/crawl/host-config.ts';
import { maxBytesRestMs } from '../../core/frontier/byte-rate.ts';
import type { Head } from '../../core/frontier/head.ts';
import { maxGapAfter } from '../../core/frontier/politeness.ts';
import { isOriginKey } from '../../core/robots/policy.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import { MAX_BYTES_LOCK_MS } from '../../crawler/turn/pace/host-requests.ts';
import { currentSites } from './site-lists.ts';

/**
 * For how long a host is to be left alone that was with a worker when that died: as if its longest request
 * had ended `deadForMs` ago. Its head knows nothing of that turn's requests.
 */
export function createKeepBack(
  database: DatabaseSync,
  crawl: CrawlId,
  config: CrawlConfig,
  deadForMs = 0,
): (host: HostKey) => number {
  const select = database.prepare('SELECT head FROM heads WHERE crawl = ? AND host = ?');
  const configOf = createHostConfigs(config, currentSites(database, crawl));
  return (host) => {
    const row = select.get(crawl, host) as { head: string } | undefined;
    const robots = row ? (JSON.parse(row.head) as Head).robots : [];
    const ofOrigins = robots.filter(({ origin }) => isOriginKey(origin));
    const crawlDelayMs = Math.max(0, ...ofOrigins.map(({ crawlDelayMs = 0 }) => crawlDelayMs));
    const own = configOf(host);
    const gapMs = maxGapAfter(config.totalTimeoutMs, crawlDelayMs, own);
    const bytesMs = Math.min(MAX_BYTES_LOCK_MS, maxBytesRestMs(own, own.maxBodyBytes));
    return Math.max(0, Math.max(gapMs, bytesMs) - deadForMs);
  };
}

/** For people: why nothing is asked of some hosts, and how long. `ms`: the longest rest. */
export function keptBackText(hosts: number, ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return hosts === 1
    ? `One host had a visit that was cut short, and rests for ${seconds} s: the time of its last request is unknown`
    : `${hosts} hosts had visits that were cut short, and rest for up to ${seconds} s: the times of their last requests are unknown`;
}
