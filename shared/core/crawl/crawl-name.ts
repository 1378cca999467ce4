import { hostKey } from '../url/host-key.ts';
import type { CrawlId } from './crawl-id.ts';

/** The name of a crawl that was given none: its first seed's host. */
export function crawlNameOf(seeds: readonly string[]): CrawlId {
  const host = hostKey(seeds[0] ?? '');
  return host.replaceAll(/[^A-Za-z0-9.-]+/g, '_').slice(0, 64) || 'crawl';
}
