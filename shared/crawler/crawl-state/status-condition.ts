import { isBeingDeleted } from '../../core/causes/status-reason.ts';
import type { CrawlOptions } from '../../core/crawl/config.ts';
import type { CrawlRecord, StatusCondition } from '../ports/crawl-registry.ts';

const LIMITS = ['maxPages', 'maxBytes', 'maxTimeMs', 'maxCost'] as const satisfies (keyof CrawlOptions)[];

/**
 * Whether the record, as it is stored, meets the condition under which its status is to be set. The status of a crawl
 * that is being deleted stays.
 */
export function meetsCondition(record: CrawlRecord, condition?: StatusCondition): boolean {
  if (isBeingDeleted(record)) return false;
  if (condition === undefined) return true;
  const { status, config } = record;
  const { from, limits } = condition;
  return from.includes(status) && (!limits || LIMITS.every((limit) => config[limit] === limits[limit]));
}
