/**
 * The options that are settings of a crawl. What a setting means, its limits and its default are those of its key in
 * `shared/core/crawl/config.ts`.
 */
import { crawlConfigSchema } from '../shared/core/crawl/config.ts';
import { resumableKeys } from '../shared/core/crawl/resumable.ts';
import { formatBytes, formatDuration } from './format.ts';
import type { OptionSpec } from './option-spec.ts';
import { LIMIT_OPTIONS } from './option-tables/limit-options.ts';
import { PAGE_OPTIONS } from './option-tables/page-options.ts';
import { SCOPE_OPTIONS } from './option-tables/scope-options.ts';
import type { SettingOption } from './option-tables/setting-option.ts';

export const SETTINGS: readonly SettingOption[] = [...SCOPE_OPTIONS, ...PAGE_OPTIONS, ...LIMIT_OPTIONS];

/** The settings that a command takes; in the tables' order. */
export const settingsOf = (verb: string): OptionSpec[] =>
  SETTINGS.flatMap(({ verbs = ['crawl'], stackVerbs = verbs, ...option }) => {
    const isHere = [...verbs, ...readersOf(option, verbs), ...resumersOf(option, 'machine')].includes(verb);
    const isOnStack = [...stackVerbs, ...resumersOf(option, 'stack')].includes(verb);
    if (isHere && isOnStack) return [option];
    return isHere || isOnStack ? [{ ...option, only: isHere ? 'here' : 'stack' }] : [];
  });

/** Settings of a crawl also decide what `explain` says, and those of a single request what `read` and `shell` do. */
function readersOf({ key, group }: OptionSpec, verbs: readonly string[]): readonly string[] {
  if (key === undefined || !verbs.includes('crawl')) return [];
  return REQUEST_GROUPS.has(group) ? ['explain', 'read', 'shell'] : ['explain'];
}

const RESUMABLE: Readonly<Record<'machine' | 'stack', readonly string[]>> = {
  machine: resumableKeys('machine'),
  stack: resumableKeys('stack'),
};

/** `resume` takes the settings that may change. */
const resumersOf = ({ key }: OptionSpec, place: 'machine' | 'stack'): readonly string[] =>
  key !== undefined && RESUMABLE[place].includes(key) ? ['resume'] : [];

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
