import { z } from 'zod';
import { type CrawlConfig, type CrawlOptions, isRecrawling } from '../../core/crawl/config.ts';
import { optionalShape } from '../../core/crawl/settings/kinds.ts';
import {
  missingAt,
  type ResumableKey,
  resumableKeys,
  SETTINGS,
  type SettingKey,
} from '../../core/crawl/settings/settings.ts';
import type { CrawlTotals } from '../../crawler/ports/crawl-registry.ts';
import { checkRequest } from './check-request.ts';
import { ControlError } from './control.ts';

const RESUMABLE = Object.fromEntries(resumableKeys('stack').map((key) => [key, SETTINGS[key]])) as Pick<
  typeof SETTINGS,
  ResumableKey<'stack'>
>;

/** The settings that a crawl can be resumed with: limits, recrawl, documents. The rest of its configuration stays what it is. */
export const resumeLimitsSchema = z.strictObject(optionalShape(RESUMABLE));

/** A request to resume: the limits, and whether new rules may hold. */
export const resumeSchema = resumeLimitsSchema.extend({
  newUrlRules: z
    .boolean()
    .optional()
    .describe(
      'Continue though the crawl began with another version of the rules for canonical URLs: URLs whose form has changed may be fetched again',
    ),
});

type ResumeKey = keyof typeof resumeLimitsSchema.shape;

/** The changed settings of a crawl that is resumed. */
export type ResumeLimits = Partial<Pick<CrawlConfig, ResumeKey>>;

/** The settings of these that a resume may change. */
export const resumable = (options: CrawlOptions): ResumeLimits =>
  Object.fromEntries(Object.entries(options).filter(([key]) => Object.hasOwn(RESUMABLE, key)));

/** Throws {@link ControlError} for an unknown or invalid limit. */
export function checkLimits(given: CrawlOptions): ResumeLimits {
  for (const key of Object.keys(given))
    if (!Object.hasOwn(resumeLimitsSchema.shape, key) && Object.hasOwn(SETTINGS, key))
      throw new ControlError(
        'invalid',
        `Expected one of ${Object.keys(resumeLimitsSchema.shape).join(', ')} to resume with, got ${key}: ` +
          (missingAt('stack')[key as SettingKey] ?? 'it is decided when a crawl begins'),
        key,
      );
  const limits = checkRequest(resumeLimitsSchema, given, 'the limits');
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

type UsedLimit = 'maxPages' | 'maxBytes' | 'maxTimeMs' | 'maxCost';

/**
 * A crawl at a limit would end at once: throws a conflict that names the limit and the amount used. At
 * its limit of pages it continues where requisites are awaited.
 */
export function checkNotAtLimit(limits: ResumeLimits, used: CrawlTotals): void {
  const { bytes, activeMs, cost = 0 } = used;
  // It ends the first pass alone.
  const goesOn = (used.requisites?.awaited ?? 0) > 0 || isRecrawling({ recrawl: 'off', ...limits });
  const pages = goesOn ? 0 : used.pages;
  const uses: readonly [key: UsedLimit, used: number, verb: string][] = [
    ['maxPages', pages, 'fetched'],
    ['maxBytes', bytes, 'received'],
    ['maxTimeMs', activeMs, 'run for'],
    ['maxCost', cost, 'cost'],
  ];
  for (const [key, amount, verb] of uses) {
    const limit = limits[key];
    if (limit === undefined || amount < limit) continue;
    throw new ControlError(
      'conflict',
      `The crawl would end at once: its ${key} is ${limit}, and it has ${verb} ${amount} already. ` +
        `Resume it with a higher ${key}`,
      key,
    );
  }
}
