import type { CrawlOptions } from '../crawl/config.ts';
import type { CrawlRecord, StatusCondition } from '../ports/crawl-registry.ts';

const LIMITS = ['maxPages', 'maxBytes', 'maxTimeMs', 'maxCost'] as const satisfies (keyof CrawlOptions)[];

/** Whether the record, as it is stored, meets the condition under which its status is to be set. */
export function meetsCondition({ status, config }: CrawlRecord, condition?: StatusCondition): boolean {
  if (condition === undefined) return true;
  const { from, limits } = condition;
  return from.includes(status) && (!limits || LIMITS.every((limit) => config[limit] === limits[limit]));
}
