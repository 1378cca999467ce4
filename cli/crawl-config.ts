/** A crawl's configuration, checked; what is wrong with it in the words of the command line. */

import { type CrawlConfig, crawlConfigSchema, InvalidConfig } from '../shared/core/crawl/config.ts';
import { isSecretPath } from '../shared/core/crawl/secret-keys.ts';
import type { Setting, ValueType } from '../shared/core/crawl/settings/setting.ts';
import { SETTINGS, type SettingKey } from '../shared/core/crawl/settings/settings.ts';
import { describeIssues } from '../shared/core/text/describe-issues.ts';
import { keysAt } from '../shared/core/text/schema-keys.ts';
import { formatBytes, formatDuration } from './format.ts';

/**
 * The complete configuration from what was given (on the command line, or kept with a crawl). Throws {@link
 * InvalidConfig}: its message names the option (or the key, where no option sets it), what was expected, what
 * came, and for an unknown key the nearest valid one.
 */
export function parseCrawlConfig(given: unknown): CrawlConfig {
  const parsed = crawlConfigSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issues = describeIssues(parsed.error, given, {
    name: ([key, ...rest]) =>
      dashed(key) ?? (key === undefined ? 'a configuration' : [key, ...rest].join('.')),
    object: (path) => ({
      name: path.length === 0 ? 'the configuration' : path.join('.'),
      keys: keysAt(crawlConfigSchema, path),
    }),
    isSecret: isSecretPath,
    value: (value, [key]) => inUnit(value, settingFor(key)?.type),
  });
  throw new InvalidConfig(issues.map(({ message }) => message).join('; '), { cause: parsed.error });
}

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
