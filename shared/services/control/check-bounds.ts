/**
 * Bounds of a request's settings: many crawls share a worker's memory, disk and time, and none may take it
 * all.
 */
import type { CrawlConfig, CrawlOptions } from '../../core/crawl/config.ts';
import { OVERRIDE_KEYS, OVERRIDE_SETTINGS } from '../../core/crawl/settings/override-settings.ts';
import { SETTING_LIST, SETTINGS } from '../../core/crawl/settings/settings.ts';
import { ControlError } from './control.ts';

const MAX_ENTRIES = 100;
/** A name of a host has no more characters (RFC 1035, section 2.3.4). */
const MAX_NAME = 253;
/** A pin with many stars goes back and forth over a name: two cost its length squared. */
const MAX_STARS = 2;

/**
 * Throws {@link ControlError} that names the first key above its bound. `defaults`: the deployment's own,
 * whose configuration is not checked against this, and whose bodies are what the workers' disk is made for.
 */
export function checkBounds(given: CrawlOptions, defaults: CrawlConfig): void {
  for (const [key, { stackMost }] of SETTING_LIST) checkSize(`config.${key}`, given[key], stackMost);
  const { maxBodyBytes } = defaults;
  const why = "the workers' disk is sized by the deployment's own default";
  checkSize('config.maxBodyBytes', given.maxBodyBytes, maxBodyBytes, why);
  for (const [i, [pattern]] of (given.resolve ?? []).entries()) checkName(`config.resolve.${i}`, pattern);
  for (const [i, override] of (given.overrides ?? []).entries()) {
    const field = `config.overrides.${i}`;
    checkSize(`${field}.hosts`, override.hosts, MAX_ENTRIES);
    for (const [j, pattern] of override.hosts.entries()) checkName(`${field}.hosts.${j}`, pattern);
    for (const key of OVERRIDE_KEYS)
      checkSize(`${field}.${key}`, override[key], OVERRIDE_SETTINGS[key].stackMost);
    checkSize(`${field}.maxBodyBytes`, override.maxBodyBytes, maxBodyBytes);
  }
}

/** Throws {@link ControlError} for absurd limits of a crawl that is resumed. */
export function checkLimitBounds(given: CrawlOptions): void {
  for (const key of ['maxPages', 'maxBytes', 'maxTimeMs', 'maxCost'] as const)
    checkSize(key, given[key], SETTINGS[key].stackMost, ABSURD);
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

function checkSize(field: string, value: unknown, most: number | undefined, why = SHARED): void {
  if (value === undefined || most === undefined) return;
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
