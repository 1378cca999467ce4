/** Limits that the deployer sets, and that no caller can exceed. */
import { NO_ROOM } from '../../core/causes/status-reason.ts';
import type { CrawlOptions } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { createDomainCheck } from '../../core/crawl/domains.ts';
import type { Setting } from '../../core/crawl/settings/setting.ts';
import { BOUNDED, type BoundedKey } from '../../core/crawl/settings/settings.ts';
import { quoted } from '../../core/text/printable.ts';
import { ControlError } from './control.ts';
import type { ControlEngine } from './control-engine.ts';

/** The least or the most of settings (`bound` of their records). A missing limit means no limit. */
type Bounds = { readonly [Key in BoundedKey]?: number | undefined };

export interface DeployerLimits extends Bounds {
  /** US dollars that all crawls may cost in a day (UTC). */
  readonly maxCostPerDay?: number | undefined;
  readonly maxRunningCrawls?: number | undefined;
  /** Whether crawls are paid for by use: one of scope `any`, which has no end of its own, needs a limit of money. */
  readonly isPaid?: boolean | undefined;
  /** Crawls stay within these domains. */
  readonly allowedDomains?: readonly string[] | undefined;
}

/**
 * Returns the deployment's defaults, overlaid by `given`, with the limits applied. Throws {@link ControlError} if
 * `given` exceeds a limit.
 */
export function limitedOptions(
  given: CrawlOptions,
  defaults: CrawlOptions,
  limits: DeployerLimits,
): CrawlOptions {
  const { allowedDomains = [], ipDelayMs = 0 } = limits;
  const options = { ...defaults, ...given };
  checkBounded(given, limits, 'config.');
  for (const [i, override] of (given.overrides ?? []).entries())
    checkBounded(override, limits, `config.overrides.${i}.`);
  // By exceptions, a crawl could leave out the pause at each address.
  if (ipDelayMs > 0) checkExceptions(given.ipDelayExcept ?? [], defaults.ipDelayExcept ?? []);
  checkDomains(given.domains ?? [], allowedDomains);
  checkEndless('config.maxCost', options, limits);
  return {
    ...options,
    ...boundedSettings(options, limits),
    ...(allowedDomains.length > 0 &&
      (options.domains ?? []).length === 0 && { domains: [...allowedDomains] }),
  };
}

/** Throws {@link ControlError} for a setting beyond its limit. `at`: put before its name in the message. */
export function checkBounded(given: Bounds, limits: DeployerLimits, at = ''): void {
  for (const [key, { bound }] of BOUNDED) {
    const [value, limit] = [given[key], limits[key]];
    if (value === undefined || limit === undefined || !isBeyond(value, limit, bound)) continue;
    throw new ControlError(
      'invalid',
      `Expected ${at}${key} ${bound === 'least' ? '>=' : '<='} ${limit}, got ${value}: the deployer of this stack has set that limit`,
      `${at}${key}`,
    );
  }
}

/** Returns the settings whose values or defaults are beyond a limit, with the limit instead. */
export const boundedSettings = (options: CrawlOptions, limits: DeployerLimits): CrawlOptions =>
  Object.fromEntries(
    BOUNDED.flatMap(([key, { bound, default: preset }]) => {
      const limit = limits[key];
      const value = options[key] ?? (preset as number | undefined) ?? (bound === 'least' ? 0 : Infinity);
      return limit !== undefined && isBeyond(value, limit, bound) ? [[key, limit]] : [];
    }),
  );

const isBeyond = (value: number, limit: number, bound: Setting['bound']): boolean =>
  bound === 'least' ? value < limit : value > limit;

/** Throws {@link ControlError} for a crawl that has no end of its own, if nothing limits what it costs. */
export function checkEndless(
  field: string,
  { scope, maxCost }: Pick<CrawlOptions, 'scope' | 'maxCost'>,
  { isPaid = false, maxCost: most, maxCostPerDay }: DeployerLimits,
): void {
  if (!isPaid || scope !== 'any' || (maxCost ?? most ?? maxCostPerDay) !== undefined) return;
  throw new ControlError(
    'invalid',
    'A crawl of scope any has no end of its own, and this stack was deployed with maxCostPerDay=none: give it a maxCost',
    field,
  );
}

/**
 * Throws {@link ControlError} if the limit of running crawls is reached without `crawl`, or if the money of the day is
 * spent.
 */
export async function checkRoom(
  { registry, spentToday }: Pick<ControlEngine, 'registry' | 'spentToday'>,
  crawl: CrawlId,
  { maxRunningCrawls, maxCostPerDay = Infinity }: DeployerLimits,
): Promise<void> {
  if (maxCostPerDay < Infinity && ((await spentToday?.()) ?? 0) >= maxCostPerDay)
    throw new ControlError(
      'conflict',
      `All crawls together have cost ${maxCostPerDay} US dollars today, as much as this deployment allows in a day ` +
        '(maxCostPerDay). At 00:00 UTC there is money again, and the crawls that are paused for it go on by themselves. ' +
        'For more today, deploy the stack with a higher maxCostPerDay',
    );
  if (maxRunningCrawls === undefined) return;
  const names = await (registry.listRunning ?? registry.list)();
  let running = 0;
  for (const name of names)
    if (name !== crawl && (await registry.load(name))?.status === 'running' && ++running >= maxRunningCrawls)
      throw new ControlError(
        'conflict',
        `Already ${running} crawls run, as many as this deployment allows (maxRunningCrawls): pause or stop one, or wait`,
      );
}

/**
 * Looks once more, after `crawl` is running: another one may have begun in the same moment. Of crawls that begin together the last one to be
 * written finds all others, so never more run than may; two that find each other are both paused. Returns the error for the
 * caller if `crawl` was paused for it.
 */
export async function pauseIfFull(
  engine: Pick<ControlEngine, 'registry'>,
  crawl: CrawlId,
  { maxRunningCrawls }: DeployerLimits,
): Promise<ControlError | undefined> {
  try {
    await checkRoom(engine, crawl, { maxRunningCrawls });
    return undefined;
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    await engine.registry.setStatus(crawl, 'paused', NO_ROOM, { from: ['running'] });
    return new ControlError(
      'conflict',
      `${error.message}. Another crawl began in the same moment, so ${quoted(crawl)} is paused, with its seeds: resume it then`,
    );
  }
}

function checkDomains(given: readonly string[], allowed: readonly string[]): void {
  if (allowed.length === 0) return;
  const isAllowed = createDomainCheck(allowed);
  for (const [i, domain] of given.entries())
    if (!isAllowed(domain)) {
      const field = `config.domains.${i}`;
      throw new ControlError(
        'invalid',
        `${field}: ${quoted(domain)} is not open here; only ${allowed.join(', ')} may be crawled`,
        field,
      );
    }
}

function checkExceptions(given: readonly string[], allowed: readonly string[]): void {
  for (const [i, block] of given.entries())
    if (!allowed.includes(block)) {
      const field = `config.ipDelayExcept.${i}`;
      const may = allowed.length === 0 ? 'none' : 'only those of the deployment';
      throw new ControlError(
        'invalid',
        `${field}: ${quoted(block)} is not open here; ${may} may be without the least ipDelayMs`,
        field,
      );
    }
}
