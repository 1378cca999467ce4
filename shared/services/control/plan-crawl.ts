import { messageOf } from '../../core/base/error-message.ts';
import { type CrawlConfig, type CrawlOptions, parseConfig } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { crawlNameOf } from '../../core/crawl/crawl-name.ts';
import { takeSeedCredentials } from '../../core/crawl/seed-credentials.ts';
import type { Site } from '../../core/crawl/sites.ts';
import { canonicalSitemaps } from '../../core/frontier/seed-links.ts';
import { quoted } from '../../core/text/printable.ts';
import { URL_RULES_VERSION } from '../../core/url/canonical.ts';
import type { CrawlRecord } from '../../crawler/ports/crawl-registry.ts';
import { checkAddresses, checkPorts, checkProxies } from './check-addresses.ts';
import { checkBounds } from './check-bounds.ts';
import { checkPatterns } from './check-patterns.ts';
import { checkRequest } from './check-request.ts';
import { contactFault } from './contact-fault.ts';
import { ControlError, type NewCrawl } from './control.ts';
import { type DeployerLimits, limitedOptions } from './deployer-limits.ts';
import { crawlIdSchema, newCrawlSchema } from './request-schemas.ts';
import { planSites } from './site-list.ts';
import { type SortedSeeds, seedsError, sortSeeds } from './sort-seeds.ts';
import { wideningSeeds } from './widening-seeds.ts';

/** The limits for the crawls of an engine. */
export interface ControlPolicy {
  /** Defaults of the deployment for settings that a crawl leaves out. The limits do not apply to them. */
  readonly defaults: CrawlOptions;
  /** CIDR blocks of special addresses that crawls may open. */
  readonly allowPrivateAddresses: readonly string[];
  /** Ports that browsers refuse, and that a crawl's settings may allow. Default: none. */
  readonly allowPorts?: readonly number[];
  /**
   * A worker must see its last request to the end. A longer default is taken as this, a longer wish refused.
   */
  readonly maxTotalTimeoutMs: number;
  /** Days after which archives are deleted, file by file. Default: they are kept. */
  readonly archiveDays?: number;
  /** Limits for all crawls, also those that the defaults begin with. */
  readonly limits?: DeployerLimits;
  /** Names the caller if the request does not. Default: the caller stays unknown. */
  readonly callerOf?: () => Promise<string | undefined>;
  /** Keys that requests may not set, each with the reason. */
  readonly refuses?: Readonly<Partial<Record<keyof CrawlConfig, string>>>;
}

export interface PlannedCrawl {
  readonly crawl: CrawlId;
  readonly record: CrawlRecord;
  readonly seeds: SortedSeeds;
  readonly sites?: readonly Site[] | undefined;
  /** Canonical. */
  readonly sitemaps: readonly string[];
  /** The earlier crawl whose payloads are not stored again. */
  readonly dedupeFrom?: CrawlId | undefined;
}

/**
 * The requested crawl. Throws {@link ControlError} that names the fault, also if no seed is left.
 */
export function planCrawl(request: NewCrawl, policy: ControlPolicy): PlannedCrawl {
  checkRequest(newCrawlSchema, request, 'the crawl');
  const { seeds: own = [], sites: listed } = request;
  if (listed === undefined && own.length === 0)
    throw new ControlError('invalid', 'Expected seeds or sites, got neither', 'seeds');
  const asked = crawlOptionsOf(request.config ?? {}, policy);
  const sites = listed && planSites(listed, parseConfig(asked), policy);
  const urls = sites?.map(({ url }) => url) ?? [];
  const taken = seedCredentials(asked, [...own, ...urls]);
  const { options } = taken;
  const config = parseConfig(options);
  const seeds = sortSeeds(taken.seeds, config);
  const [first] = seeds.accepted;
  if (first === undefined) throw seedsError(seeds.refused);
  checkContact(seeds.accepted, config);
  const ofSites = new Set(urls);
  const besides = seeds.accepted.filter((url) => !ofSites.has(url));
  const widening = wideningSeeds(config, [], besides);
  return {
    crawl: request.crawl ?? nameFor(seeds.accepted),
    record: {
      config: options,
      scopeSeeds: widening.length > 0 ? widening : [first],
      urlRulesVersion: URL_RULES_VERSION,
      status: 'running',
    },
    seeds,
    sites,
    sitemaps: sitemapsOf(config),
    dedupeFrom: request.dedupeFrom,
  };
}

function seedCredentials(options: CrawlOptions, seeds: readonly string[]) {
  try {
    return takeSeedCredentials(options, seeds);
  } catch (cause) {
    throw new ControlError('invalid', messageOf(cause), 'config.headers');
  }
}

function sitemapsOf({ sitemapUrls }: CrawlConfig): string[] {
  try {
    return canonicalSitemaps(sitemapUrls);
  } catch (cause) {
    throw new ControlError('invalid', messageOf(cause), 'config.sitemapUrls');
  }
}

/**
 * A host may be called what no crawl may, such as `..`; and a crawl that cannot be requested cannot be
 * stopped.
 */
function nameFor(seeds: readonly string[]): CrawlId {
  const name = crawlNameOf(seeds);
  return crawlIdSchema.safeParse(name).success ? name : 'crawl';
}

/** The defaults, overlaid by the request. Throws {@link ControlError} if a setting may not be requested. */
export function crawlOptionsOf(asked: CrawlOptions, policy: ControlPolicy): CrawlOptions {
  const {
    defaults,
    allowPrivateAddresses,
    allowPorts = [],
    maxTotalTimeoutMs,
    refuses = {},
    limits = {},
  } = policy;
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  for (const key of Object.keys(given) as (keyof CrawlConfig)[]) {
    const reason = refuses[key];
    if (reason !== undefined)
      throw new ControlError('invalid', `config.${key} cannot be set here: ${reason}`, `config.${key}`);
  }
  const ofDeployment = parseConfig(defaults);
  checkBounds(given, ofDeployment);
  checkPatterns(given, ofDeployment.maxUrlLength);
  checkAddresses(given, allowPrivateAddresses);
  checkProxies(given, allowPrivateAddresses);
  checkPorts(given, allowPorts);
  const options = limitedOptions(given, defaults, limits);
  const { totalTimeoutMs, hookTimeoutMs } = parseConfig(options);
  const maxHookTimeoutMs = parseConfig(defaults).hookTimeoutMs;
  if (hookTimeoutMs > maxHookTimeoutMs)
    throw new ControlError(
      'invalid',
      `Expected config.hookTimeoutMs <= ${maxHookTimeoutMs}, the deployment's own, got ${hookTimeoutMs}`,
      'config.hookTimeoutMs',
    );
  if (totalTimeoutMs <= maxTotalTimeoutMs) return options;
  if ('totalTimeoutMs' in given)
    throw new ControlError(
      'invalid',
      `Expected config.totalTimeoutMs <= ${maxTotalTimeoutMs}, got ${totalTimeoutMs}: a worker must see its last ` +
        'request to the end, and its own time is limited',
      'config.totalTimeoutMs',
    );
  return { ...options, totalTimeoutMs: maxTotalTimeoutMs };
}

/** Throws if the owners of the seeds' hosts could not find out who is crawling. */
export function checkContact(seeds: readonly string[], config: CrawlConfig): void {
  const fault = contactFault(seeds, config);
  if (fault === 'unreadable')
    throw new ControlError(
      'invalid',
      `Expected config.contact to be a URL or a mail address, got ${quoted(config.contact ?? '')}`,
      'config.contact',
    );
  if (fault === 'missing')
    throw new ControlError(
      'invalid',
      'The owners of the hosts must be able to reach you: the crawl needs a config.contact such as ' +
        'https://example.org/about-my-crawl or me@example.org (or a URL or mail address within config.userAgent)',
      'config.contact',
    );
}
