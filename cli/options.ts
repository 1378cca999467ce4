/** The options that are settings of a crawl, made of the list of settings. */

import { URL_RULES } from '../shared/core/crawl/settings/scope-settings.ts';
import type { Setting } from '../shared/core/crawl/settings/setting.ts';
import { SETTING_LIST, SETTINGS, type SettingKey } from '../shared/core/crawl/settings/settings.ts';
import { FILE_OPTIONS, type FileOption } from './file-options.ts';
import { formatBytes, formatDuration } from './format.ts';
import { here, type OptionSpec } from './option-spec.ts';

/** Each may be given several times. */
const REPEATABLE: ReadonlySet<OptionSpec['type']> = new Set([
  'patterns',
  'pins',
  'folders',
  'urls',
  'proxies',
  'ports',
]);

/** The only place of an option, if there is one. */
const placeOf = ({ only }: Setting): Pick<OptionSpec, 'only' | 'reason'> =>
  only ? { only: only.place === 'machine' ? 'here' : 'stack', reason: only.reason } : {};

/** The help is the setting's sentence. */
function helpOf({ doc, inHelp = '', type }: Setting): string {
  const text = doc.replaceAll('`', '');
  const begin = /^[A-Z][a-z]/.test(text) ? text[0]!.toLowerCase() + text.slice(1) : text;
  return `${begin}${inHelp}${REPEATABLE.has(type) ? '; repeatable' : ''}`;
}

const RULES_ON = Object.entries(URL_RULES).flatMap(([name, rule]) => (rule.default === true ? [name] : []));

/** The default as the operator would write it. */
function presetOf({ default: value, type }: Setting): string | undefined {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (type === 'rules') return RULES_ON.join(',');
  if (typeof value !== 'number') return String(value);
  if (type === 'duration') return formatDuration(value);
  return type === 'bytes' ? formatBytes(value) : String(value);
}

const isHere = ({ only }: OptionSpec): boolean => only !== 'stack';

/** In the order of the list. */
const SETTING_OPTIONS: readonly OptionSpec[] = SETTING_LIST.flatMap(([key, setting]) => {
  const { option: name, argument, type, choices, isNegatable, group } = setting;
  if (name === undefined) return [];
  const texts = { preset: presetOf(setting), help: helpOf(setting) };
  return [{ key, name, argument, type, choices, isNegatable, group, ...texts, ...placeOf(setting) }];
});

/** With those that are files. */
const ALL: readonly (OptionSpec & Partial<FileOption>)[] = [
  ...SETTING_OPTIONS,
  ...FILE_OPTIONS.map((option) => ({ ...option, ...placeOf(SETTINGS[option.sets]) })),
];

/** All, as `crawl` takes them. */
export const crawlOptions = (): readonly OptionSpec[] => ALL;

/** The settings that decide what happens to a URL. */
export const explainOptions = (): readonly OptionSpec[] => here(SETTING_OPTIONS.filter(isHere));

const REQUEST_GROUPS: ReadonlySet<OptionSpec['group']> = new Set(['Politeness', 'Identity', 'Network']);

/** The settings of a single request. */
export const requestOptions = (): readonly OptionSpec[] =>
  ALL.filter(({ group }) => REQUEST_GROUPS.has(group));

/** The settings that may change when a crawl continues. */
export const resumeOptions = (): readonly OptionSpec[] =>
  ALL.filter(({ key, sets }) => (SETTINGS[(key ?? sets) as SettingKey] as Setting).resume !== undefined);

/** The options of some settings. */
export const optionsOf = (...keys: readonly SettingKey[]): readonly OptionSpec[] =>
  SETTING_OPTIONS.filter(({ key }) => key !== undefined && keys.includes(key));

/** `--prefer-markdown` where it is on if nobody says otherwise: for readers and agents, not for archives. */
export const preferMarkdownOptions = (): readonly OptionSpec[] =>
  optionsOf('preferMarkdown').map((option) => ({ ...option, preset: 'on' }));
