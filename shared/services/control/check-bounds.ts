/**
 * Bounds of a request's settings: many crawls share a worker's memory, disk and time, and none may take it
 * all.
 */
import type { CrawlConfig, CrawlOptions } from '../../core/crawl/config.ts';
import { ControlError } from './control.ts';

/** Node's timers take no longer time (25 days): they end at once instead. */
const MAX_MS = 2 ** 31 - 1;
const MAX_ENTRIES = 100;
/** No crawl comes near: a larger number is a mistake. 10 years, and a million dollars. */
const MAX_COUNT = 1e15;
const MAX_TIME_MS = 10 * 366 * 86_400_000;
const MAX_DOLLARS = 1e6;
/** A name of a host has no more characters (RFC 1035, section 2.3.4). */
const MAX_NAME = 253;
/** A pin with many stars goes back and forth over a name: two cost its length squared. */
const MAX_STARS = 2;

/**
 * The most of a number, or of a text's or list's length. A URL must fit into a message with the page it was
 * found on.
 */
const MAX_VALUES: Readonly<Partial<Record<keyof CrawlConfig, number>>> = {
  maxUrlLength: 16_384,
  maxLinksPerPage: 200_000,
  maxHeaderBytes: 1024 * 1024,
  maxDecodedBytes: 256 * 1024 * 1024,
  userAgent: 500,
  contact: 500,
  allowPrivateAddresses: MAX_ENTRIES,
  allowPorts: MAX_ENTRIES,
  resolve: MAX_ENTRIES,
  overrides: MAX_ENTRIES,
  sitemapUrls: MAX_ENTRIES,
  proxies: MAX_ENTRIES,
  cookies: 1000,
  domains: MAX_ENTRIES,
  maxPages: MAX_COUNT,
  maxBytes: MAX_COUNT,
  maxTimeMs: MAX_TIME_MS,
  maxCost: MAX_DOLLARS,
  adaptiveFactor: 1000,
  maxPathDepth: 1000,
  maxRepeatedSegments: 100,
  delayMs: MAX_MS,
  maxAdaptiveDelayMs: MAX_MS,
  maxCrawlDelayMs: MAX_MS,
  maxRetryAfterMs: MAX_MS,
  backoffMs: MAX_MS,
  maxBackoffMs: MAX_MS,
  retryMs: MAX_MS,
  connectTimeoutMs: MAX_MS,
  headersTimeoutMs: MAX_MS,
  idleTimeoutMs: MAX_MS,
  turnMaxMs: MAX_MS,
  turnMaxWaitMs: MAX_MS,
};

/**
 * Throws {@link ControlError} that names the first key above its bound. `defaults`: the deployment's own,
 * whose configuration is not checked against this, and whose bodies are what the workers' disk is made for.
 */
export function checkBounds(given: CrawlOptions, defaults: CrawlConfig): void {
  for (const [key, most] of Object.entries(MAX_VALUES)) check(key as keyof CrawlConfig, given, most);
  const { maxBodyBytes } = defaults;
  check('maxBodyBytes', given, maxBodyBytes, "the workers' disk is sized by the deployment's own default");
  for (const [i, [pattern]] of (given.resolve ?? []).entries()) checkName(`config.resolve.${i}`, pattern);
  for (const [i, override] of (given.overrides ?? []).entries()) {
    const field = `config.overrides.${i}`;
    checkSize(`${field}.hosts`, override.hosts, MAX_ENTRIES);
    for (const [j, pattern] of override.hosts.entries()) checkName(`${field}.hosts.${j}`, pattern);
    checkSize(`${field}.delayMs`, override.delayMs, MAX_MS);
    checkSize(`${field}.maxCrawlDelayMs`, override.maxCrawlDelayMs, MAX_MS);
    checkSize(`${field}.maxBodyBytes`, override.maxBodyBytes, maxBodyBytes);
  }
}

/** Throws {@link ControlError} for absurd limits of a crawl that is resumed. */
export function checkLimitBounds(given: CrawlOptions): void {
  for (const key of ['maxPages', 'maxBytes', 'maxTimeMs', 'maxCost'] as const)
    checkSize(key, given[key], MAX_VALUES[key] as number, ABSURD);
}

function checkName(field: string, pattern: string): void {
  const stars = pattern.split('*').length - 1;
  if (pattern.length > MAX_NAME || stars > MAX_STARS)
    throw new ControlError(
      'invalid',
      `Expected ${field} to mean a name of at most ${MAX_NAME} characters with at most ${MAX_STARS} \`*\`, ` +
        `got ${pattern.length} with ${stars}`,
      field,
    );
}

function check(key: keyof CrawlConfig, given: CrawlOptions, most: number, why = SHARED): void {
  checkSize(`config.${key}`, given[key], most, why);
}

function checkSize(field: string, value: unknown, most: number, why = SHARED): void {
  if (value === undefined) return;
  const isLength = typeof value === 'string' || Array.isArray(value);
  const size = isLength ? value.length : Number(value);
  if (size <= most) return;
  throw new ControlError(
    'invalid',
    `Expected ${field} ${isLength ? 'to have a length of at most' : '<='} ${most} here, got ${size}: ${why}`,
    field,
  );
}

const ABSURD = 'no crawl needs more';
const SHARED = 'many crawls share a worker';
