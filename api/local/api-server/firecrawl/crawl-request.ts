import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import { parseSeed } from '../../../../shared/core/url/parse-seed.ts';
import {
  areTexts,
  fieldOf,
  isCount,
  isFlag,
  isObject,
  isSeconds,
  isText,
  RequestRefused,
  refuseOthers,
} from './refused-fields.ts';
import {
  readHeaders,
  readPageOptions,
  readScrapeOptions,
  SCRAPE_FIELDS,
  type ScrapeOptions,
} from './scrape-options.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface JobRequest {
  readonly seeds: readonly string[];
  readonly config: CrawlOptions;
  readonly options: ScrapeOptions;
}

export const CRAWL_FIELDS: readonly string[] = [
  'url',
  'limit',
  'maxDiscoveryDepth',
  'includePaths',
  'excludePaths',
  'regexOnFullURL',
  'allowSubdomains',
  'crawlEntireDomain',
  'allowBackwardLinks',
  'sitemap',
  'ignoreSitemap',
  'delay',
  'scrapeOptions',
  'webhook',
];
export const BATCH_FIELDS: readonly string[] = ['urls', 'ignoreInvalidURLs', 'webhook', ...SCRAPE_FIELDS];
const DEFAULT_LIMIT = 10_000;

/** Returns the crawl that a request means. Throws {@link RequestRefused}. */
export function readCrawlRequest(fields: Fields): JobRequest {
  refuseOthers(fields, CRAWL_FIELDS);
  const flag = (name: string) => fieldOf(fields, name, isFlag, 'true or false') ?? false;
  const sitemap = fieldOf(fields, 'sitemap', isText, 'skip or include') ?? 'include';
  if (sitemap !== 'skip' && sitemap !== 'include')
    throw new RequestRefused(`sitemap: ${sitemap.slice(0, 50)}`);
  const isWhole = flag('crawlEntireDomain') || flag('allowBackwardLinks');
  const depth = fieldOf(fields, 'maxDiscoveryDepth', isCount, 'a whole number');
  const delay = fieldOf(fields, 'delay', isSeconds, 'a number of seconds, 86400 at most');
  const pathOf = flag('regexOnFullURL') ? (pattern: string) => pattern : onPath;
  return {
    seeds: [urlIn(fields)],
    options: readPageOptions(fields.scrapeOptions),
    config: {
      ...headersOf(isObject(fields.scrapeOptions) ? fields.scrapeOptions : {}),
      scope: flag('allowSubdomains') ? 'domain' : isWhole ? 'host' : 'prefix',
      sitemaps: sitemap === 'skip' || flag('ignoreSitemap') ? 'off' : 'find',
      maxPages: fieldOf(fields, 'limit', isLimit, 'a whole number above 0') ?? DEFAULT_LIMIT,
      ...(depth !== undefined && { maxDepth: depth }),
      ...(delay !== undefined && { delayMs: Math.round(delay * 1000) }),
      include: (fieldOf(fields, 'includePaths', areTexts, 'a list of patterns') ?? []).map(pathOf),
      exclude: (fieldOf(fields, 'excludePaths', areTexts, 'a list of patterns') ?? []).map(pathOf),
    },
  };
}

const isLimit = (value: unknown): value is number => isCount(value) && value > 0;

/** Patterns are on the path, those of Strand on the URL. */
function onPath(pattern: string): string {
  const begins = pattern.startsWith('^');
  const ends = /(?:^|[^\\])\$$/.test(pattern);
  const middle = pattern.slice(begins ? 1 : 0, ends ? -1 : undefined);
  return `^https?://[^/]+${begins ? '' : '/?[^?]*'}(?:${middle})${ends ? '(?:[?]|$)' : ''}`;
}

/** A crawl of exactly these URLs. */
export function readBatchRequest(fields: Fields): JobRequest & { readonly invalid: readonly string[] } {
  refuseOthers(fields, BATCH_FIELDS);
  const urls = fieldOf(fields, 'urls', areTexts, 'a list of URLs, 1,000 at most') ?? [];
  const ignores = fieldOf(fields, 'ignoreInvalidURLs', isFlag, 'true or false') ?? true;
  const isUrl = (url: string) => /^https?:\/\//i.test(url) && URL.canParse(url);
  const invalid = urls.filter((url) => !isUrl(url));
  if (invalid.length > 0 && !ignores)
    throw new RequestRefused('urls', `Expected http and https URLs, got ${invalid[0]!.slice(0, 200)}`);
  const seeds = urls.filter(isUrl);
  if (seeds.length === 0) throw new RequestRefused('urls', 'Expected urls to be a list of at least one URL');
  return {
    seeds,
    invalid,
    options: readScrapeOptions(fields),
    config: {
      ...headersOf(fields),
      scope: 'page',
      sitemaps: 'off',
      feeds: false,
      obeyCanonical: false,
      obeyNoindex: false,
    },
  };
}

/** To the origins of the seeds alone. */
function headersOf(fields: Fields): Pick<CrawlOptions, 'headers'> {
  const headers = readHeaders(fields);
  return Object.keys(headers).length > 0 ? { headers: { seeds: headers } } : {};
}

/** The URL of a request. A name without a scheme is taken as https. */
export function urlIn(fields: Fields): string {
  const text = fieldOf(fields, 'url', isText, 'a URL');
  const url = parseSeed(text ?? '');
  if (url === undefined) throw new RequestRefused('url', 'Expected url to be an http or https URL');
  return url;
}
