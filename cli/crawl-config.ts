/** A crawl's configuration, checked; what is wrong with it in the words of the command line. */

import { type CrawlConfig, parseConfig } from '../shared/core/crawl/config.ts';
import type { Setting, ValueType } from '../shared/core/crawl/settings/setting.ts';
import { SETTINGS, type SettingKey } from '../shared/core/crawl/settings/settings.ts';
import { formatBytes, formatDuration } from './format.ts';

/**
 * The complete configuration from what was given (on the command line, or kept with a crawl). Throws
 * `InvalidConfig`: its message names the option (or the key, where no option sets it), what was expected, what
 * came, and for an unknown key the nearest valid one.
 */
export const parseCrawlConfig = (given: unknown): CrawlConfig =>
  parseConfig(given, {
    name: ([key, ...rest]) =>
      dashed(key) ?? (key === undefined ? 'a configuration' : [key, ...rest].join('.')),
    value: (value, [key]) => inUnit(value, settingFor(key)?.type),
  });

const settingFor = (key: PropertyKey | undefined): Setting | undefined =>
  key !== undefined && Object.hasOwn(SETTINGS, key) ? SETTINGS[key as SettingKey] : undefined;

function dashed(key: PropertyKey | undefined): string | undefined {
  const { option } = settingFor(key) ?? {};
  return option && `--${option}`;
}

/** A value in the unit that the operator wrote it in. */
function inUnit(value: unknown, type: ValueType | undefined): string | undefined {
  if (typeof value !== 'number') return undefined;
  if (type === 'duration') return formatDuration(value);
  return type === 'bytes' ? formatBytes(value) : undefined;
}
