import { type CrawlConfig, type CrawlOptions, parseConfig } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { RENDER_SETTINGS } from '../../core/crawl/settings/settings.ts';
import { type CrawlPlan, planCrawl } from '../begin/plan-crawl.ts';
import { wideningSeeds } from '../begin/widening-seeds.ts';
import { orRefused } from './as-refusal.ts';
import { checkAddresses, checkPorts, checkProxies } from './check-addresses.ts';
import { checkBounds } from './check-bounds.ts';
import { checkPatterns } from './check-patterns.ts';
import { checkRequest } from './check-request.ts';
import { ControlError, type NewCrawl } from './control.ts';
import { type DeployerLimits, limitedOptions } from './deployer-limits.ts';
import { newCrawlSchema } from './request-schemas.ts';
import { planSites } from './site-list.ts';

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

export interface PlannedRequest extends CrawlPlan {
  /** The earlier crawl whose payloads are not stored again. */
  readonly dedupeFrom?: CrawlId | undefined;
}

/**
 * The requested crawl. Throws {@link ControlError} that names the fault, also if no seed is left.
 */
export function planRequest(request: NewCrawl, policy: ControlPolicy): PlannedRequest {
  checkRequest(newCrawlSchema, request, 'the crawl');
  const { seeds = [], sites: listed, dedupeFrom } = request;
  if (listed === undefined && seeds.length === 0)
    throw new ControlError('invalid', 'Expected seeds or sites, got neither', 'seeds');
  const options = crawlOptionsOf(request.config ?? {}, policy);
  const sites = listed && planSites(listed, parseConfig(options), policy);
  const plan = orRefused(() => planCrawl({ seeds, sites, options }));
  const { crawl = plan.crawl } = request;
  const [first, ...others] = plan.record.scopeSeeds;
  // Its record holds few seeds: links reach the others from these.
  const widening = wideningSeeds(plan.config, [], [first!, ...others]);
  const scopeSeeds = widening.length > 0 ? widening : [first!];
  return { ...plan, crawl, record: { ...plan.record, scopeSeeds }, dedupeFrom };
}

/**
 * Throws {@link ControlError} for a setting that is refused here. `place`: that of the settings in the request. If they say that
 * no page is rendered, the settings of rendering have no effect, and are not refused.
 */
export function checkRefused(
  given: { readonly render?: unknown },
  place: string | undefined,
  refuses: NonNullable<ControlPolicy['refuses']>,
): void {
  const unused: readonly string[] = given.render === 'never' ? RENDER_SETTINGS : [];
  for (const key of Object.keys(given) as (keyof CrawlConfig)[]) {
    const reason = refuses[key];
    if (reason === undefined || unused.includes(key)) continue;
    const name = place === undefined ? key : `${place}.${key}`;
    throw new ControlError('invalid', `${name} cannot be set here: ${reason}`, name);
  }
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
  const given: CrawlOptions = Object.fromEntries(
    Object.entries(asked).filter(([, value]) => value !== undefined),
  );
  checkRefused(given, 'config', refuses);
  for (const [i, override] of (Array.isArray(asked.overrides) ? asked.overrides : []).entries()) {
    // They are the patterns of its hosts, unlike the setting of that name.
    const { hosts: _, ...settings } = override ?? {};
    checkRefused(settings, `config.overrides.${i}`, refuses);
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
