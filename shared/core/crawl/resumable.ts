import type { CrawlOptions } from './crawl-options.ts';

/**
 * The settings that may change when a crawl is continued, and where: on one machine, on a stack, or in both places. All others
 * stay as the crawl began. `maxCost` counts what AWS charges; an `identity` belongs to the machine or the stack that signs.
 */
const RESUMABLE = {
  maxPages: 'both',
  maxBytes: 'both',
  maxTimeMs: 'both',
  maxCost: 'stack',
  maxPagesPerHost: 'both',
  domainBudget: 'both',
  recrawl: 'both',
  recrawlEveryMs: 'both',
  recrawlSchedule: 'both',
  recrawlTimeZone: 'both',
  recrawlPerDay: 'both',
  changeFeed: 'both',
  documents: 'both',
  keepTrying: 'both',
  identity: 'machine',
} as const satisfies { readonly [Key in keyof CrawlOptions]?: 'both' | Place };

type Place = 'machine' | 'stack';

/** The names of the settings that may change there. */
export type ResumableKey<P extends Place> = {
  [Key in keyof typeof RESUMABLE]: (typeof RESUMABLE)[Key] extends 'both' | P ? Key : never;
}[keyof typeof RESUMABLE];

/** The names of these settings, in the order of the list. */
export function resumableKeys<P extends Place>(place: P): readonly ResumableKey<P>[] {
  const keys = Object.keys(RESUMABLE) as (keyof typeof RESUMABLE)[];
  return keys.filter((key): key is ResumableKey<P> => RESUMABLE[key] === 'both' || RESUMABLE[key] === place);
}
