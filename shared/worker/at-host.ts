import type { HostKey } from '../url/host-key.ts';
import type { Crawl } from './crawls.ts';

/** The crawl as it is at this host: with the settings that are others there. */
export function atHost(crawl: Crawl, host: HostKey): Crawl {
  const config = crawl.configOf(host);
  return config === crawl.config ? crawl : { ...crawl, config, everywhere: crawl };
}
