/** The types of a crawl's settings. What each means is in its record. */
import type { HostHours } from './host-hours.ts';
import type { OverrideOptions } from './settings/override-settings.ts';
import type { ConfigOf, OptionsOf } from './settings/setting.ts';
import type { SETTINGS } from './settings/settings.ts';

/** The settings of a crawl as an operator writes them. Durations are milliseconds, sizes are bytes. */
export interface CrawlOptions extends OptionsOf<typeof SETTINGS> {}

/** A crawl's configuration, complete: every default filled in. */
export interface CrawlConfig extends ConfigOf<typeof SETTINGS> {}

/** The settings that hold for a host: with the overrides that mean it. */
export type HostConfig = CrawlConfig & HostHours;

export type HostOverride = OverrideOptions;

/** Which links belong to the crawl. */
export type ScopePreset = CrawlConfig['scope'];
