/** The settings that an override may have for some hosts: many of those of a crawl, and some of its own. */
import { daysFault, hoursFault } from '../host-hours.ts';
import { checked, settingsOf, text, zoneName } from './kinds.ts';
import { LIMIT_SETTINGS } from './limit-settings.ts';
import { NETWORK_SETTINGS } from './network-settings.ts';
import { PAGE_SETTINGS } from './page-settings.ts';
import { POLITENESS_SETTINGS } from './politeness-settings.ts';
import { RECRAWL_SETTINGS } from './recrawl-settings.ts';
import { SCOPE_SETTINGS } from './scope-settings.ts';
import type { OptionsOf, Settings, SettingsFor } from './setting.ts';

const setting = settingsOf('Politeness');

/** When requests to the hosts are allowed (`crawl/host-hours.ts`). */
const OWN = {
  hours: setting(text(checked('ranges of hours such as 22:00-06:00', hoursFault), 'RANGES'), {
    doc: 'The hours in which requests to the hosts are allowed: `22:00-06:00`, `9-12,14-18`; all by default',
    more: 'At most 100 ranges, each of at least 15 minutes.',
    perHost: 'site',
  }),
  days: setting(text(checked('days such as mon-fri', daysFault), 'DAYS'), {
    doc: 'The days on which requests are allowed, from Monday: `mon-fri`, `sat,sun`; all by default',
    more: 'A range of hours over midnight belongs to the day on which it begins.',
    perHost: 'site',
  }),
  timeZone: setting(text(zoneName, 'ZONE'), {
    doc: 'The time zone of `hours` and `days`, such as `Europe/Berlin`; UTC by default',
    perHost: 'site',
  }),
};

const ALL = {
  ...POLITENESS_SETTINGS,
  ...LIMIT_SETTINGS,
  ...SCOPE_SETTINGS,
  ...PAGE_SETTINGS,
  ...NETWORK_SETTINGS,
  ...RECRAWL_SETTINGS,
  ...OWN,
};

const only = <T>(isIn: (perHost: 'override' | 'site') => boolean): T =>
  Object.fromEntries(
    Object.entries<Settings[string]>(ALL).filter(([, { perHost }]) => perHost !== undefined && isIn(perHost)),
  ) as T;

type OverrideKey = SettingsFor<typeof ALL, 'override' | 'site'>;

/** The settings of an override besides `hosts`. */
export const OVERRIDE_SETTINGS: Pick<typeof ALL, OverrideKey> = only(() => true);

export const OVERRIDE_KEYS = Object.keys(OVERRIDE_SETTINGS) as readonly OverrideKey[];

export type SiteSettingKey = SettingsFor<typeof ALL, 'site'>;

/** The settings that a line of a list of sites may have for its host. */
export const SITE_SETTINGS: Pick<typeof ALL, SiteSettingKey> = only((perHost) => perHost === 'site');

/** Settings for some hosts. If several overrides match a host, the last one applies. */
export interface OverrideOptions extends OptionsOf<typeof OVERRIDE_SETTINGS> {
  /**
   * Host names. `*` matches one or more labels: `*.example.org`. A port that is not the default belongs to
   * the name.
   */
  hosts: string[];
}
