/** The one list of what can be set about a crawl. Durations are milliseconds, sizes are bytes. */
import { z } from 'zod';
import { ARCHIVE_SETTINGS } from './archive-settings.ts';
import { IDENTITY_SETTINGS } from './identity-settings.ts';
import { optionalShape, other, settingsOf } from './kinds.ts';
import { LIMIT_SETTINGS } from './limit-settings.ts';
import { NETWORK_SETTINGS } from './network-settings.ts';
import { OVERRIDE_SETTINGS, type OverrideOptions } from './override-settings.ts';
import { PAGE_SETTINGS } from './page-settings.ts';
import { POLITENESS_SETTINGS } from './politeness-settings.ts';
import { RECRAWL_SETTINGS } from './recrawl-settings.ts';
import { SCOPE_SETTINGS } from './scope-settings.ts';
import type { Place, Setting, SettingsFor } from './setting.ts';

const overrideSchema = () =>
  z.strictObject({ hosts: z.array(z.string().min(1)).min(1), ...optionalShape(OVERRIDE_SETTINGS) });

export const SETTINGS = {
  ...SCOPE_SETTINGS,
  ...PAGE_SETTINGS,
  ...RECRAWL_SETTINGS,
  ...LIMIT_SETTINGS,
  ...POLITENESS_SETTINGS,
  ...IDENTITY_SETTINGS,
  ...NETWORK_SETTINGS,
  overrides: settingsOf('Politeness')(
    other<z.ZodType<OverrideOptions[], OverrideOptions[]>>(() => z.array(overrideSchema())),
    {
      doc: 'Other settings for some hosts',
      page: 'project-file.md#overrides',
      stackMost: 100,
      opens: 'requests what robots.txt forbids, in your name',
      default: [],
    },
  ),
  ...ARCHIVE_SETTINGS,
};

export type SettingKey = keyof typeof SETTINGS;

/** The list, in its order. */
export const SETTING_LIST = Object.entries<Setting>(SETTINGS) as readonly (readonly [SettingKey, Setting])[];

/** The settings that may change when a crawl is continued there. All others stay as the crawl began. */
export type ResumableKey<P extends Place> = SettingsFor<typeof SETTINGS, P | 'both'>;

export const resumableKeys = <P extends Place>(place: P): readonly ResumableKey<P>[] =>
  SETTING_LIST.flatMap(([key, { resume }]) =>
    resume === 'both' || resume === place ? [key as ResumableKey<P>] : [],
  );

/** The settings that a limit of the deployer bounds. */
export type BoundedKey = SettingsFor<typeof SETTINGS, 'least' | 'most'>;

export const BOUNDED_SETTINGS = Object.fromEntries(
  SETTING_LIST.filter(([, { bound }]) => bound !== undefined),
) as unknown as Pick<typeof SETTINGS, BoundedKey>;

export const BOUNDED = Object.entries<Setting>(BOUNDED_SETTINGS) as readonly (readonly [
  BoundedKey,
  Setting,
])[];

/** The settings of rendering. Where there is no browser they are refused. */
export const RENDER_SETTINGS = [
  'render',
  'keepRendered',
  'screenshots',
] as const satisfies readonly SettingKey[];

/** The settings that do not exist there, each with the reason. */
export const missingAt = (place: Place): Readonly<Partial<Record<SettingKey, string>>> =>
  Object.fromEntries(
    SETTING_LIST.flatMap(([key, { only }]) => (only && only.place !== place ? [[key, only.reason]] : [])),
  );
