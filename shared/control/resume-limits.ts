import { type CrawlConfig, type CrawlOptions, crawlConfigSchema } from '../crawl/config.ts';
import type { CrawlTotals } from '../ports/crawl-registry.ts';
import { checkRequest } from './check-request.ts';
import { ControlError } from './control.ts';

/** The limits that a crawl can be resumed with. The rest of its configuration stays what it is. */
export const resumeLimitsSchema = crawlConfigSchema.pick({
  maxPages: true,
  maxBytes: true,
  maxTimeMs: true,
  maxCost: true,
  domainBudget: true,
});

export type ResumeLimits = Pick<CrawlConfig, keyof typeof resumeLimitsSchema.shape>;

/** Throws {@link ControlError} for what is no such limit, or not valid. */
export function checkLimits(given: CrawlOptions): ResumeLimits {
  for (const key of Object.keys(given))
    if (!Object.hasOwn(resumeLimitsSchema.shape, key) && Object.hasOwn(crawlConfigSchema.shape, key))
      throw new ControlError(
        'invalid',
        `Expected one of ${Object.keys(resumeLimitsSchema.shape).join(', ')} to resume with, got ${key}: ` +
          'it is decided when a crawl begins',
        key,
      );
  const limits = checkRequest(resumeLimitsSchema, given, 'the limits');
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/**
 * A crawl that stands at a limit would end at once: throws a conflict that names it, and what was used. At
 * its limit of pages it continues where requisites are awaited.
 */
export function checkNotAtLimit(limits: ResumeLimits, used: CrawlTotals): void {
  const { bytes, activeMs, cost = 0 } = used;
  const pages = (used.requisites?.awaited ?? 0) > 0 ? 0 : used.pages;
  const uses: readonly [key: Exclude<keyof ResumeLimits, 'domainBudget'>, used: number, verb: string][] = [
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
