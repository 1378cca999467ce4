/** Limits that the deployer sets, and that no caller can exceed. */
import { NO_ROOM } from '../../core/causes/status-reason.ts';
import type { CrawlConfig, CrawlOptions } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { createDomainCheck } from '../../core/crawl/domains.ts';
import { quoted } from '../../core/text/printable.ts';
import { ControlError } from './control.ts';
import type { ControlEngine } from './control-engine.ts';

/** A missing limit means no limit. */
export interface DeployerLimits {
  /** The least `delayMs` of a crawl and of its overrides. */
  readonly minDelayMs?: number | undefined;
  /** The least `ipDelayMs` of a crawl. Its `ipDelayExcept` may have blocks of the deployment's defaults alone then. */
  readonly minIpDelayMs?: number | undefined;
  readonly maxPerHost?: number | undefined;
  /** Bytes a second of all hosts of a crawl together, and of one host. They become those of a crawl that names none. */
  readonly maxBytesPerSecond?: number | undefined;
  readonly maxBytesPerSecondPerHost?: number | undefined;
  /** US dollars. It becomes the `maxCost` of a crawl that names none. */
  readonly maxCostPerCrawl?: number | undefined;
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
  const {
    minDelayMs = 0,
    minIpDelayMs = 0,
    maxPerHost = Infinity,
    maxBytesPerSecond,
    maxBytesPerSecondPerHost,
    maxCostPerCrawl,
    allowedDomains = [],
  } = limits;
  const options = { ...defaults, ...given };
  for (const [i, override] of [given, ...(given.overrides ?? [])].entries()) {
    const place = i === 0 ? 'config' : `config.overrides.${i - 1}`;
    checkLeast(`${place}.delayMs`, override.delayMs, minDelayMs);
    checkMost(`${place}.perHost`, override.perHost, maxPerHost);
    checkMost(
      `${place}.maxBytesPerSecondPerHost`,
      override.maxBytesPerSecondPerHost,
      maxBytesPerSecondPerHost ?? Infinity,
    );
  }
  checkMost('config.maxBytesPerSecond', given.maxBytesPerSecond, maxBytesPerSecond ?? Infinity);
  checkLeast('config.ipDelayMs', given.ipDelayMs, minIpDelayMs);
  if (minIpDelayMs > 0) checkExceptions(given.ipDelayExcept ?? [], defaults.ipDelayExcept ?? []);
  checkCost('config.maxCost', given.maxCost, { maxCostPerCrawl });
  checkDomains(given.domains ?? [], allowedDomains);
  checkEndless('config.maxCost', options, limits);
  const { delayMs, ipDelayMs = 0, perHost, maxCost, domains } = options;
  return {
    ...options,
    ...(delayMs !== undefined && { delayMs: Math.max(delayMs, minDelayMs) }),
    ...(delayMs === undefined && minDelayMs > DEFAULT_DELAY_MS && { delayMs: minDelayMs }),
    ...(ipDelayMs < minIpDelayMs && { ipDelayMs: minIpDelayMs }),
    ...(perHost !== undefined && { perHost: Math.min(perHost, maxPerHost) }),
    ...(maxBytesPerSecond !== undefined && {
      maxBytesPerSecond: Math.min(options.maxBytesPerSecond ?? Infinity, maxBytesPerSecond),
    }),
    ...(maxBytesPerSecondPerHost !== undefined && {
      maxBytesPerSecondPerHost: Math.min(
        options.maxBytesPerSecondPerHost ?? Infinity,
        maxBytesPerSecondPerHost,
      ),
    }),
    ...(maxCostPerCrawl !== undefined && { maxCost: Math.min(maxCost ?? Infinity, maxCostPerCrawl) }),
    ...(allowedDomains.length > 0 && (domains ?? []).length === 0 && { domains: [...allowedDomains] }),
  };
}

/** As `crawl/config.ts` has it. */
const DEFAULT_DELAY_MS = 1000;

/** Throws {@link ControlError} for a higher cost than the deployer allows. */
export function checkCost(
  field: string,
  maxCost: CrawlConfig['maxCost'],
  { maxCostPerCrawl = Infinity }: Pick<DeployerLimits, 'maxCostPerCrawl'>,
): void {
  checkMost(field, maxCost, maxCostPerCrawl);
}

/** Returns the deployer's `maxCost` for a crawl whose own is higher: it began before there was this limit. */
export const loweredCost = (
  { maxCost = Infinity }: Pick<CrawlConfig, 'maxCost'>,
  { maxCostPerCrawl = Infinity }: Pick<DeployerLimits, 'maxCostPerCrawl'>,
): Pick<CrawlConfig, 'maxCost'> => (maxCost > maxCostPerCrawl ? { maxCost: maxCostPerCrawl } : {});

/** Throws {@link ControlError} for a crawl that has no end of its own, if nothing limits what it costs. */
export function checkEndless(
  field: string,
  { scope, maxCost }: Pick<CrawlOptions, 'scope' | 'maxCost'>,
  { isPaid = false, maxCostPerCrawl, maxCostPerDay }: DeployerLimits,
): void {
  if (!isPaid || scope !== 'any' || (maxCost ?? maxCostPerCrawl ?? maxCostPerDay) !== undefined) return;
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

function checkLeast(field: string, value: number | undefined, least: number): void {
  if (value !== undefined && value < least) throw refusal(field, `>= ${least}`, value);
}

function checkMost(field: string, value: number | undefined, most: number): void {
  if (value !== undefined && value > most) throw refusal(field, `<= ${most}`, value);
}

const refusal = (field: string, expected: string, value: number) =>
  new ControlError(
    'invalid',
    `Expected ${field} ${expected}, got ${value}: the deployer of this stack has set that limit`,
    field,
  );
