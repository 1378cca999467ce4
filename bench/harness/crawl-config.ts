/**
 * The settings of the benches for a crawl of the generated web: all politeness off except robots.txt,
 * everything else as it is by default.
 */
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';

export const CRAWL: CrawlOptions = {
  scope: 'any',
  contact: 'bench@example.org',
  // The web over TLS has one certificate for all hosts.
  tls: 'any',
  allowPrivateAddresses: ['127.0.0.0/8'],
  delayMs: 0,
  adaptive: false,
  // The web's errors are permanent, and no other crawler tries again.
  maxAttempts: 1,
  retryMs: 0,
  backoffMs: 0,
  // A web's truth counts each spelling as a page of its own.
  urlRules: { trackingParameters: false, sessionParameters: false },
  // All hosts of the web are of one domain.
  domainBudget: 'off',
  maxHostsPerDomain: 'off',
  // No other crawler of the comparison looks for them.
  sitemaps: 'off',
};
