import { type CrawlConfig, type CrawlOptions, parseConfig } from '../../core/crawl/config.ts';
import { CRAWL_ID, type CrawlId } from '../../core/crawl/crawl-id.ts';
import { crawlNameOf } from '../../core/crawl/crawl-name.ts';
import { InvalidConfig } from '../../core/crawl/invalid-config.ts';
import { takeSeedCredentials } from '../../core/crawl/seed-credentials.ts';
import type { Site } from '../../core/crawl/sites.ts';
import { canonicalSitemaps } from '../../core/frontier/seed-links.ts';
import { URL_RULES_VERSION } from '../../core/url/canonical.ts';
import { fetchedUrl } from '../../core/url/request-url.ts';
import type { CrawlRecord } from '../../crawler/ports/crawl-registry.ts';
import { checkContact } from './contact-fault.ts';
import { type RefusedSeed, refusedSeeds, type SortedSeeds, sortSeeds } from './sort-seeds.ts';

export interface CrawlToPlan {
  readonly seeds: readonly string[];
  /** Their URLs are seeds, too. */
  readonly sites?: readonly Site[] | undefined;
  readonly options: CrawlOptions;
}

/** A crawl that can begin, in a folder or on a stack. */
export interface CrawlPlan {
  /** Its name, unless its operator gives another one. */
  readonly crawl: CrawlId;
  readonly config: CrawlConfig;
  /** Its scope is drawn around all seeds that are not sites. */
  readonly record: CrawlRecord;
  /** The crawl begins with those accepted, and says why the others were refused. */
  readonly seeds: SortedSeeds;
  readonly sites?: readonly Site[] | undefined;
  /** Canonical. */
  readonly sitemaps: readonly string[];
}

/**
 * Plans a crawl. Seeds that it leaves out, by `exclude` for example, are refused, and the others begin it. Throws
 * {@link InvalidConfig} if none is left, or if the URL of a site is refused: a list of sites is taken as a whole; and
 * `NoContact`.
 */
export function planCrawl({ seeds: own, sites, options: given }: CrawlToPlan): CrawlPlan {
  const urls = new Set(sites?.map(({ url }) => url));
  const { options, seeds: bare } = atField('config.headers', () =>
    takeSeedCredentials(given, [...own, ...urls]),
  );
  const config = parseConfig(options);
  const seeds = sortSeeds(bare, config, sites);
  const { accepted, refused } = seeds;
  if (bare.length === 0) throw new InvalidConfig('Expected seeds or sites, got neither', { field: 'seeds' });
  if (accepted.length === 0) throw refusedSeeds(refused);
  refuseSites(refused, own.length);
  checkContact(accepted, config);
  const besides = accepted.filter((url) => !urls.has(url));
  const name = crawlNameOf(accepted);
  return {
    crawl: CRAWL_ID.test(name) ? name : 'crawl',
    config,
    record: {
      config: options,
      // A crawl has one at least.
      scopeSeeds: [...new Set((besides.length > 0 ? besides : accepted.slice(0, 1)).map(fetchedUrl))],
      urlRulesVersion: URL_RULES_VERSION,
      status: 'running',
    },
    seeds,
    sites,
    sitemaps: atField('config.sitemapUrls', () => canonicalSitemaps(config.sitemapUrls)),
  };
}

/** `own`: the number of seeds that stand before the sites. */
function refuseSites(refused: readonly RefusedSeed[], own: number): void {
  const sites = refused.filter(({ index }) => index >= own);
  if (sites.length > 0) throw refusedSeeds(sites);
}

/** An error of `work` is about that field. */
function atField<T>(field: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof InvalidConfig)) throw cause;
    throw new InvalidConfig(cause.message, { cause, field });
  }
}
