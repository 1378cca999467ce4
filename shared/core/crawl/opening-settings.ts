/**
 * Which settings of a crawl open something of its operator: machine, network, keys or name. They are obeyed where the
 * operator has made them. In a folder that came from somebody else they must be confirmed.
 */
import { printable, shorten } from '../text/printable.ts';
import { crawlConfigSchema } from './config.ts';
import type { CrawlConfig, CrawlOptions } from './crawl-options.ts';

const NOTHING = undefined;
const UNSAFE = 'accepts servers that cannot show who they are';

/** All settings. A new one must say what it opens. */
export const OPENS: { readonly [Key in keyof Required<CrawlConfig>]: string | undefined } = {
  fromFolder: 'reads files of this machine',
  proxies: 'sends requests through machines of its choice',
  identity: 'signs requests by a private key of this machine',
  allowPrivateAddresses: 'connects to addresses that are not public, such as your own network',
  resolve: 'connects to addresses of its choice',
  allowPorts: 'connects to ports that browsers refuse',
  allowInvalidCertificates: UNSAFE,
  tls: UNSAFE,
  certificateAuthorities: 'trusts further authorities',
  robots: 'requests what robots.txt forbids, in your name',
  overrides: 'requests what robots.txt forbids, in your name',
  // Any crawl of public pages may do this.
  scope: NOTHING,
  include: NOTHING,
  exclude: NOTHING,
  domains: NOTHING,
  maxDepth: NOTHING,
  maxUrlLength: NOTHING,
  maxLinksPerPage: NOTHING,
  ascendPaths: NOTHING,
  urlRules: NOTHING,
  maxRedirects: NOTHING,
  maxPathDepth: NOTHING,
  maxRepeatedSegments: NOTHING,
  maxQueryParameters: NOTHING,
  trapAfterPages: NOTHING,
  trapMinNew: NOTHING,
  obeyNofollow: NOTHING,
  purpose: NOTHING,
  languages: NOTHING,
  readDocuments: NOTHING,
  obeyNoindex: NOTHING,
  obeyCanonical: NOTHING,
  soft404: NOTHING,
  nearDuplicates: NOTHING,
  softRedirects: NOTHING,
  requisites: NOTHING,
  sitemaps: NOTHING,
  maxSitemapsPerHost: NOTHING,
  sitemapUrls: NOTHING,
  modifiedSince: NOTHING,
  feeds: NOTHING,
  recrawl: NOTHING,
  recrawlEveryMs: NOTHING,
  recrawlSchedule: NOTHING,
  recrawlTimeZone: NOTHING,
  importance: NOTHING,
  recrawlPerDay: NOTHING,
  // To the webhook of the project's file, which is the operator's.
  changeFeed: NOTHING,
  documents: NOTHING,
  maxPages: NOTHING,
  maxBytes: NOTHING,
  maxTimeMs: NOTHING,
  maxCost: NOTHING,
  maxPagesPerHost: NOTHING,
  maxPagesPerTemplate: NOTHING,
  domainBudget: NOTHING,
  domainBudgets: NOTHING,
  domainBudgetEveryMs: NOTHING,
  maxHostsPerDomain: NOTHING,
  delayMs: NOTHING,
  ipDelayMs: NOTHING,
  ipDelayExcept: NOTHING,
  adaptive: NOTHING,
  adaptiveFactor: NOTHING,
  maxAdaptiveDelayMs: NOTHING,
  maxCrawlDelayMs: NOTHING,
  maxBytesPerSecondPerHost: NOTHING,
  maxBytesPerSecond: NOTHING,
  perHost: NOTHING,
  robotsMaxAgeMs: NOTHING,
  maxRetryAfterMs: NOTHING,
  backoffMs: NOTHING,
  maxBackoffMs: NOTHING,
  retryMs: NOTHING,
  maxAttempts: NOTHING,
  maxHostFailures: NOTHING,
  keepTrying: NOTHING,
  // Secrets of the person who set them: they are values, not names of files.
  userAgent: NOTHING,
  contact: NOTHING,
  from: NOTHING,
  headers: NOTHING,
  cookies: NOTHING,
  auth: NOTHING,
  clientCertificates: NOTHING,
  connectTimeoutMs: NOTHING,
  headersTimeoutMs: NOTHING,
  idleTimeoutMs: NOTHING,
  totalTimeoutMs: NOTHING,
  maxBodyBytes: NOTHING,
  maxHeaderBytes: NOTHING,
  maxDecodedBytes: NOTHING,
  revisits: NOTHING,
  metadata: NOTHING,
  metadataLinks: NOTHING,
  blockTimeoutMs: NOTHING,
  hookTimeoutMs: NOTHING,
  hosts: NOTHING,
  turnMaxPages: NOTHING,
  turnMaxMs: NOTHING,
  turnMaxWaitMs: NOTHING,
  warcMaxBytes: NOTHING,
};

const KEYS = (Object.keys(OPENS) as (keyof CrawlOptions)[]).filter((key) => OPENS[key] !== undefined).sort();

/** The settings that open something, each with its value, in a fixed order. */
export function openingSettings(options: CrawlOptions): [key: keyof CrawlOptions, value: unknown][] {
  return KEYS.flatMap((key): [keyof CrawlOptions, unknown][] => {
    const value: unknown = options[key];
    return value === undefined || isDefault(key, value) || !opensIn(key, value) ? [] : [[key, value]];
  });
}

function isDefault(key: keyof CrawlOptions, value: unknown): boolean {
  const preset = crawlConfigSchema.shape[key].safeParse(undefined);
  return preset.success && JSON.stringify(preset.data) === JSON.stringify(value);
}

/** Different settings for some hosts are mostly harmless. */
function opensIn(key: keyof CrawlOptions, value: unknown): boolean {
  if (key !== 'overrides' || !Array.isArray(value)) return true;
  return value.some((override) => override?.robots !== undefined && override.robots !== 'obey');
}

const MAX_SHOWN = 120;

/** Shows such a setting to people: `fromFolder [["docs.example.org","/etc"]] reads files of this machine`. */
export function openingText([key, value]: readonly [keyof CrawlOptions, unknown]): string {
  return `${key} ${shorten(printable(JSON.stringify(shownValue(key, value))), MAX_SHOWN)} ${OPENS[key]}`;
}

/** Without passwords and keys. */
function shownValue(key: keyof CrawlOptions, value: unknown): unknown {
  if (key === 'proxies' && Array.isArray(value))
    return value.map((rule) => URL.parse(String(rule?.url))?.host ?? 'direct');
  if (key === 'identity') {
    const file = (value as { readonly key?: unknown }).key;
    return typeof file === 'string' ? file : 'a key';
  }
  return key === 'certificateAuthorities' && Array.isArray(value) ? value.length : value;
}
