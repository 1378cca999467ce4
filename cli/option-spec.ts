/** The fields of an option in a table of options. */
import type { ValueType } from '../shared/core/crawl/settings/setting.ts';
import type { SettingKey } from '../shared/core/crawl/settings/settings.ts';

export const GROUPS = [
  'Crawl',
  'Scope',
  'Sitemaps and feeds',
  'Pages',
  'Recrawl',
  'Limits',
  'Politeness',
  'Identity',
  'Network',
  'Archive',
  'Output',
  'Stack',
] as const;

export interface OptionSpec {
  /** Without the dashes. */
  readonly name: string;
  /** The name of the value in the help. Undefined for a flag. */
  readonly argument?: string | undefined;
  readonly type: ValueType;
  readonly choices?: readonly string[] | undefined;
  /** Choices that it had, each with what to write instead. */
  readonly former?: ReadonlyMap<string, string>;
  /** For a count without a key: the smallest and the largest value. */
  readonly range?: readonly [least: number, most: number];
  /** The default, as the operator would write it. */
  readonly preset?: string | undefined;
  /** The key of the crawl's configuration that it sets; none for what concerns the command alone. */
  readonly key?: SettingKey;
  /** A flag that `--no-NAME` turns off. */
  readonly isNegatable?: boolean | undefined;
  /** The one place where it has a meaning, if the command has one in both. */
  readonly only?: 'here' | 'stack';
  /** Why it has no meaning at the other of the two places. */
  readonly reason?: string;
  readonly group: (typeof GROUPS)[number];
  readonly help: string;
}

/** The options, for this machine alone. */
export const here = (options: readonly OptionSpec[], reason?: string): OptionSpec[] =>
  options.map((option) => ({ ...option, only: 'here', ...(reason !== undefined && { reason }) }));

export const JSON_OPTION: OptionSpec = {
  name: 'json',
  type: 'flag',
  group: 'Output',
  help: 'answer in one line of JSON on standard output',
};

export const CONFIG_OPTION: OptionSpec = {
  name: 'config',
  argument: 'FILE',
  type: 'text',
  group: 'Crawl',
  help: 'project file; by default strand.config.ts in this folder, if it exists',
};

export const INDEX_OPTION: OptionSpec = {
  name: 'index',
  argument: 'FILE',
  type: 'text',
  group: 'Output',
  help: "keep the index in this file, not in the crawl's folder; for a stack: not in ~/.cache/strand",
};

export const SEEDS_OPTION: OptionSpec = {
  name: 'seeds',
  argument: 'FILE|-',
  type: 'text',
  group: 'Crawl',
  help: 'more seeds, one URL a line (# begins a comment); - reads standard input',
};

export const WORKERS_OPTION: OptionSpec = {
  name: 'workers',
  argument: 'N',
  type: 'count',
  range: [1, 64],
  preset: '1',
  group: 'Crawl',
  only: 'here',
  reason: 'a stack starts workers by itself',
  help: 'number of threads; each works on some of the hosts or pages',
};

export const TRUST_OPTION: OptionSpec = {
  name: 'trust-settings',
  type: 'flag',
  group: 'Crawl',
  help: 'obey the settings of a folder that you have not begun on this machine, though they open something; once is enough',
};

/** Options that say which stack is meant: of each command that one has. */
export const STACK_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'stack',
    argument: 'NAME',
    type: 'text',
    only: 'stack',
    group: 'Stack',
    help: 'on the stack of this name, not on this machine; or a construct (STACK/ID or its name) or parameter (/NAME)',
  },
  {
    name: 'region',
    argument: 'REGION',
    type: 'text',
    only: 'stack',
    reason: 'there is no region on one machine',
    group: 'Stack',
    help: 'region of the stack; by default AWS_REGION or that of the profile',
  },
];
