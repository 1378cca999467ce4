import type { StackOption } from '../../cdk/stack-option.ts';
import { FILE_OPTIONS } from '../../cli/file-options.ts';
import { allOptionsOf } from '../../cli/verb.ts';
import { usageOf } from '../../cli/verb-page.ts';
import { TABLE } from '../../cli/verbs.ts';
import { type Said, sentencesOf } from '../../shared/core/crawl/settings/sentences.ts';
import type { Setting } from '../../shared/core/crawl/settings/setting.ts';

import { FILES } from '../cli/commands.ts';

const code = (text: string) => `\`${text}\``;

/** The default as it is written in a project's file. */
const presetOf = ({ default: preset }: Pick<StackOption, 'default'>): string =>
  preset === undefined || typeof preset === 'object' ? '' : code(String(preset));

/** The options of `crawl` that set it, as the command line's page writes them: `--delay TIME`. */
export const optionsOf = ([key, { option }]: readonly [string, Setting]): string[] =>
  [
    ...(option ? [option] : []),
    ...FILE_OPTIONS.filter(({ sets }) => sets === key).map(({ name }) => name),
  ].map((name) => code(usageOf(allOptionsOf(TABLE.crawl, FILES.crawl).find((one) => one.name === name)!)));

/** The text about a setting or option. A linked page has further sentences, a message the reason why a place does without it. */
function textOf(about: Said & Pick<Setting, 'page'>, document: string): string {
  const { only, page, more } = about;
  const place = only?.place === 'stack' ? 'a stack' : 'one machine';
  return [
    sentencesOf({ ...about, only: undefined, more: page === undefined ? more : undefined }),
    ...(only ? [`Only on ${place}.`] : []),
    ...(page === undefined ? [] : [`[More](${page.replace(document, '')})`]),
  ].join(' ');
}

/** The cells of a setting: its name, what it is, its default, its options. */
export const settingRow = (document: string, [key, setting]: readonly [string, Setting]): string[] => [
  code(key),
  textOf(setting, document),
  presetOf(setting),
  optionsOf([key, setting]).join(', '),
];

/** The cells of a stack's option: its name, what it is, its default. */
export const optionRow = (document: string, [name, option]: readonly [string, StackOption]): string[] => [
  code(name),
  textOf(option, document),
  option.preset ?? presetOf(option),
];
