/** A crawl's configuration: its schema, made of the list of settings. Parsed once, immutable. */

import { z } from 'zod';
import { lazy } from '../base/lazy.ts';
import { describeIssues, type IssueWords, type Path } from '../text/describe-issues.ts';
import { keysAt } from '../text/schema-keys.ts';
import type { CrawlConfig, CrawlOptions, HostConfig, HostOverride, ScopePreset } from './crawl-options.ts';
import { FORMER_SETTINGS } from './former-settings.ts';
import { InvalidConfig } from './invalid-config.ts';
import { isSecretPath } from './secret-keys.ts';
import { shapeOf } from './settings/kinds.ts';
import type { Setting } from './settings/setting.ts';
import { SETTING_LIST, SETTINGS, type SettingKey } from './settings/settings.ts';

export {
  type CrawlConfig,
  type CrawlOptions,
  type HostConfig,
  type HostOverride,
  InvalidConfig,
  type ScopePreset,
};

/** Made when it is first used: it has some 400 schemas, and many programs load this module and check nothing. */
export const crawlConfigSchema = lazy(() => z.strictObject(shapeOf(SETTINGS)));

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
 * The complete configuration. Throws {@link InvalidConfig}, which names each key that is unknown or wrong, the expected value
 * and the given one. `words`: instead of the keys' own names.
 */
export function parseConfig(given: unknown, words?: Partial<IssueWords>): CrawlConfig {
  const parsed = check(given);
  if (parsed.success) return parsed.data;
  throw new InvalidConfig(faultsIn(parsed.error, given, words).join('; '), { cause: parsed.error });
}

/** Returns the faults that {@link parseConfig} would name. */
export function configFaults(given: unknown, words?: Partial<IssueWords>): string[] {
  const { error } = check(given);
  return error ? faultsIn(error, given, words) : [];
}

/**
 * As {@link crawlConfigSchema}, by the schemas of those settings alone that differ from their defaults: all of them, in two
 * threads, are a tenth of a start's CPU.
 */
function check(given: unknown): z.ZodSafeParseResult<CrawlConfig> {
  if (!isPlainObject(given)) return crawlConfigSchema().safeParse(given);
  const asked: Record<string, unknown> = { ...given };
  const settings: Record<string, Setting> = {};
  for (const [key, setting] of SETTING_LIST) {
    if (isPreset(given[key], setting.default)) delete asked[key];
    else settings[key] = setting;
  }
  // A schema that is used once need not be compiled.
  const parsed = z.strictObject(shapeOf(settings)).safeParse(asked, { jitless: true });
  if (!parsed.success) return parsed as z.ZodSafeParseError<CrawlConfig>;
  const config: Record<string, unknown> = {};
  for (const [key, { default: preset }] of SETTING_LIST) {
    if (Object.hasOwn(settings, key)) {
      if (Object.hasOwn(parsed.data, key)) config[key] = parsed.data[key];
    } else if (preset !== undefined || Object.hasOwn(given, key)) {
      config[key] = Array.isArray(preset) ? [...preset] : preset;
    }
  }
  return { success: true, data: config as unknown as CrawlConfig };
}

function isPlainObject(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null && Object.getPrototypeOf(given) === Object.prototype;
}

/** Whether the value of a setting is its default, as far as no schema need say so: defaults of objects have parts. */
function isPreset(value: unknown, preset: unknown): boolean {
  if (typeof preset === 'object' && !Array.isArray(preset)) return false;
  if (value === undefined || value === preset) return true;
  return Array.isArray(preset) && preset.length === 0 && Array.isArray(value) && value.length === 0;
}

function faultsIn(error: z.ZodError, given: unknown, words?: Partial<IssueWords>): string[] {
  const issues = describeIssues(error, given, {
    name: nameOf,
    object: (path) => ({ name: nameOf(path), keys: configKeysAt(path) }),
    former: ([key]) => FORMER_SETTINGS.get(key),
    isSecret: isSecretPath,
    unit: unitAt,
    ...words,
  });
  return issues.map(({ message }) => message);
}

const nameOf = (path: Path): string => (path.length === 0 ? 'the configuration' : path.join('.'));

/** The keys that the object at `path` may have. */
export const configKeysAt = (path: Path): readonly string[] => keysAt(crawlConfigSchema(), path);

const UNITS: Readonly<Partial<Record<Setting['type'], string>>> = {
  duration: 'milliseconds',
  bytes: 'bytes',
};

/** The unit of the setting at `path`, of a crawl or of an override. */
export function unitAt(path: Path): string | undefined {
  const key = path.at(-1);
  return key !== undefined && Object.hasOwn(SETTINGS, key)
    ? UNITS[SETTINGS[key as SettingKey].type]
    : undefined;
}
