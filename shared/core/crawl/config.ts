/** A crawl's configuration: its schema, made of the list of settings. Parsed once, immutable. */

import { z } from 'zod';
import type { CrawlConfig, CrawlOptions, HostConfig, HostOverride, ScopePreset } from './crawl-options.ts';
import { InvalidConfig } from './invalid-config.ts';
import { shapeOf } from './settings/kinds.ts';
import { SETTINGS } from './settings/settings.ts';

export {
  type CrawlConfig,
  type CrawlOptions,
  type HostConfig,
  type HostOverride,
  InvalidConfig,
  type ScopePreset,
};

export const crawlConfigSchema = z.strictObject(shapeOf(SETTINGS));

/** Whether the crawl fetches pages again, and so never finishes by itself. */
export const isRecrawling = ({
  recrawl,
  recrawlEveryMs,
  recrawlSchedule,
}: Pick<CrawlConfig, 'recrawl' | 'recrawlEveryMs' | 'recrawlSchedule'>): boolean =>
  recrawl !== 'off' || recrawlEveryMs !== undefined || recrawlSchedule !== undefined;

/**
 * The changed settings of a crawl that is resumed. There is one kind of recrawl: by price, after a fixed interval, or
 * at the times of a schedule. A kind that is given replaces the others.
 */
export function withRecrawl<T extends CrawlOptions>(changes: T): T {
  const { recrawl, recrawlEveryMs, recrawlSchedule } = changes;
  if ((recrawl ?? recrawlEveryMs ?? recrawlSchedule) === undefined) return changes;
  return { ...changes, recrawlEveryMs, recrawlSchedule };
}

/**
 * The complete configuration. Throws {@link InvalidConfig} with a line for each key that is unknown or wrong.
 */
export function parseConfig(given: unknown): CrawlConfig {
  const parsed = crawlConfigSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new InvalidConfig(z.prettifyError(parsed.error), { cause: parsed.error });
}
