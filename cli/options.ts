/**
 * The options that are settings of a crawl. What a setting means, its limits and its default are those of its key in
 * `shared/core/crawl/config.ts`.
 */
import { crawlConfigSchema } from '../shared/core/crawl/config.ts';
import { formatBytes, formatDuration } from './format.ts';
import type { OptionSpec } from './option-spec.ts';
import { LIMIT_OPTIONS } from './option-tables/limit-options.ts';
import { PAGE_OPTIONS } from './option-tables/page-options.ts';
import { SCOPE_OPTIONS } from './option-tables/scope-options.ts';
import type { SettingOption } from './option-tables/setting-option.ts';

export const SETTINGS: readonly SettingOption[] = [...SCOPE_OPTIONS, ...PAGE_OPTIONS, ...LIMIT_OPTIONS];

/** The settings that a command takes; in the tables' order. */
export const settingsOf = (verb: string): OptionSpec[] =>
  SETTINGS.flatMap(({ verbs, stackVerbs, ...option }) => {
    const isHere = takersOf({ verbs, ...option }).includes(verb);
    const isOnStack = (stackVerbs ?? verbs ?? ['crawl']).includes(verb);
    if (isHere && isOnStack) return [option];
    return isHere || isOnStack ? [{ ...option, only: isHere ? 'here' : 'stack' }] : [];
  });

/** Settings of a crawl also decide what `explain` says, and those of a single request what `read` and `shell` do. */
function takersOf({ key, group, verbs = ['crawl'] }: SettingOption): readonly string[] {
  if (key === undefined || !verbs.includes('crawl')) return verbs;
  return REQUEST_GROUPS.has(group) ? [...verbs, 'explain', 'read', 'shell'] : [...verbs, 'explain'];
}

const REQUEST_GROUPS: ReadonlySet<OptionSpec['group']> = new Set(['Politeness', 'Identity', 'Network']);

/**
 * The option's default as the operator would write it, read from the schema; undefined where there is none.
 */
export function defaultText(option: OptionSpec): string | undefined {
  if (!option.key) return option.preset;
  const value: unknown = crawlConfigSchema.shape[option.key].safeParse(undefined).data;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (option.type === 'rules') return namesOn(value as Readonly<Record<string, boolean>>).join(',');
  if (typeof value !== 'number') return String(value);
  if (option.type === 'duration') return formatDuration(value);
  return option.type === 'bytes' ? formatBytes(value) : String(value);
}

const namesOn = (rules: Readonly<Record<string, boolean>>): string[] =>
  Object.keys(rules).filter((name) => rules[name]);
