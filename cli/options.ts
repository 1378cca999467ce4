/**
 * The one table of what the command line takes: it drives the parsing, the help and the README. What an option
 * means, its limits and its default are those of its key in `shared/crawl/config.ts`.
 */
import { describeIssues } from '../shared/control/describe-issues.ts';
import { type CrawlConfig, crawlConfigSchema, InvalidConfig, SCOPES } from '../shared/crawl/config.ts';
import { formatBytes, formatDuration } from './format.ts';

export const VERBS = ['crawl', 'resume', 'status', 'url', 'export', 'help'] as const;
export type Verb = (typeof VERBS)[number];

export const EXPORT_FORMATS = ['jsonl', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** How an operator calls the program from its folder. */
export const PROGRAM = 'npm run strand --';

/**
 * `count`: a whole number. `bytes`, `duration`: a number with a unit. `patterns`, `pins`: repeatable.
 * `addresses`: CIDR blocks, repeatable, the value optional and only by `=`.
 */
export type OptionType =
  | 'flag'
  | 'text'
  | 'choice'
  | 'count'
  | 'bytes'
  | 'duration'
  | 'patterns'
  | 'pins'
  | 'addresses';

export const GROUPS = ['Crawl', 'Scope', 'Limits', 'Politeness', 'Identity', 'Network', 'Output'] as const;

export interface OptionSpec {
  /** Without the dashes. */
  readonly name: string;
  /** What the help calls the value. None for a flag. */
  readonly argument?: string;
  readonly type: OptionType;
  readonly choices?: readonly string[];
  /** The key of the crawl's configuration that it sets; none for what concerns the command alone. */
  readonly key?: keyof CrawlConfig;
  /** A flag that `--no-NAME` turns off. */
  readonly isNegatable?: boolean;
  /** The verbs that take it; `crawl` where none is named. */
  readonly verbs?: readonly Verb[];
  readonly group: (typeof GROUPS)[number];
  readonly help: string;
}

const BOTH: readonly Verb[] = ['crawl', 'resume'];

export const OPTIONS: readonly OptionSpec[] = [
  {
    name: 'out',
    argument: 'DIR',
    type: 'text',
    group: 'Crawl',
    help: 'folder that keeps the crawl: its state and its WARC files; by default a new one in crawls/',
  },
  {
    name: 'seeds',
    argument: 'FILE|-',
    type: 'text',
    group: 'Crawl',
    help: 'more seeds, one URL a line (# begins a comment); - reads standard input',
  },
  {
    name: 'scope',
    argument: SCOPES.join('|'),
    type: 'choice',
    choices: SCOPES,
    key: 'scope',
    group: 'Scope',
    help: "which links belong to the crawl: none, below a seed's folder, the same host, the same registrable domain, any",
  },
  {
    name: 'include',
    argument: 'REGEX',
    type: 'patterns',
    key: 'include',
    group: 'Scope',
    help: 'follow only URLs that match; repeatable, one match is enough; seeds are exempt',
  },
  {
    name: 'exclude',
    argument: 'REGEX',
    type: 'patterns',
    key: 'exclude',
    group: 'Scope',
    help: 'leave out URLs that match, seeds too; repeatable',
  },
  {
    name: 'max-depth',
    argument: 'N',
    type: 'count',
    key: 'maxDepth',
    group: 'Scope',
    help: 'hops from a seed; 0 is the seeds alone',
  },
  {
    name: 'max-pages',
    argument: 'N',
    type: 'count',
    key: 'maxPages',
    verbs: BOTH,
    group: 'Limits',
    help: 'end after so many pages',
  },
  {
    name: 'max-bytes',
    argument: 'SIZE',
    type: 'bytes',
    key: 'maxBytes',
    verbs: BOTH,
    group: 'Limits',
    help: 'end after so many bytes: 500k, 10MB, 1GiB',
  },
  {
    name: 'max-time',
    argument: 'TIME',
    type: 'duration',
    key: 'maxTimeMs',
    verbs: BOTH,
    group: 'Limits',
    help: 'end after so long: 90 (seconds), 10m, 2h, 1d',
  },
  {
    name: 'max-pages-per-host',
    argument: 'N',
    type: 'count',
    key: 'maxPagesPerHost',
    group: 'Limits',
    help: 'pages of one host',
  },
  {
    name: 'delay',
    argument: 'TIME',
    type: 'duration',
    key: 'delayMs',
    group: 'Politeness',
    help: 'least pause between two requests to a host: 1 (seconds), 500ms; a longer Crawl-delay of its robots.txt counts',
  },
  {
    name: 'adaptive',
    type: 'flag',
    isNegatable: true,
    key: 'adaptive',
    group: 'Politeness',
    help: 'pause longer for hosts that answer slowly',
  },
  {
    name: 'per-host',
    argument: 'N',
    type: 'count',
    key: 'perHost',
    group: 'Politeness',
    help: 'requests to one host at once; more than one only for a site of your own',
  },
  {
    name: 'hosts',
    argument: 'N',
    type: 'count',
    key: 'hosts',
    group: 'Politeness',
    help: 'hosts served at once',
  },
  {
    name: 'robots',
    argument: 'obey|ignore',
    type: 'choice',
    choices: crawlConfigSchema.shape.robots.unwrap().options,
    key: 'robots',
    group: 'Politeness',
    help: 'what to make of robots.txt; ignore it only on a site of your own',
  },
  {
    name: 'contact',
    argument: 'URL|MAIL',
    type: 'text',
    key: 'contact',
    group: 'Identity',
    help: 'where the operator can be reached; needed, unless --user-agent says it',
  },
  {
    name: 'user-agent',
    argument: 'TEXT',
    type: 'text',
    key: 'userAgent',
    group: 'Identity',
    help: 'who asks',
  },
  {
    name: 'allow-private-addresses',
    argument: 'CIDR,...',
    type: 'addresses',
    key: 'allowPrivateAddresses',
    group: 'Network',
    help: 'connect to loopback and private addresses too: all of them, or only =CIDR[,CIDR]',
  },
  {
    name: 'resolve',
    argument: 'PATTERN=ADDRESS',
    type: 'pins',
    key: 'resolve',
    group: 'Network',
    help: 'take hosts to be at an address: *.test=127.0.0.1; repeatable',
  },
  {
    name: 'format',
    argument: EXPORT_FORMATS.join('|'),
    type: 'choice',
    choices: EXPORT_FORMATS,
    verbs: ['export'],
    group: 'Output',
    help: 'how the URLs are written; needed',
  },
  {
    name: 'json',
    type: 'flag',
    verbs: ['crawl', 'resume', 'status', 'url'],
    group: 'Output',
    help: 'answer in one line of JSON on standard output',
  },
  { name: 'quiet', type: 'flag', verbs: BOTH, group: 'Output', help: 'no progress line' },
];

/** The options that a verb takes, in the table's order. */
export function optionsOf(verb: Verb): OptionSpec[] {
  return OPTIONS.filter((option) => (option.verbs ?? ['crawl']).includes(verb));
}

/** The option's default as the operator would write it, read from the schema; undefined where there is none. */
export function defaultText(option: OptionSpec): string | undefined {
  if (!option.key) return undefined;
  const value: unknown = crawlConfigSchema.shape[option.key].safeParse(undefined).data;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value !== 'number') return String(value);
  if (option.type === 'duration') return formatDuration(value);
  return option.type === 'bytes' ? formatBytes(value) : String(value);
}

/**
 * The complete configuration from what was given (on the command line, or kept with a crawl). Throws
 * {@link InvalidConfig}: its message names the option (or the key, where no option sets it), what was expected,
 * what came, and for an unknown key the nearest valid one.
 */
export function parseCrawlConfig(given: unknown): CrawlConfig {
  const parsed = crawlConfigSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issues = describeIssues(parsed.error, given, {
    name: ([key, ...rest]) =>
      dashed(key) ?? (key === undefined ? 'a configuration' : [key, ...rest].join('.')),
    object: () => ({ name: 'the configuration', keys: Object.keys(crawlConfigSchema.shape) }),
    value: (value, [key]) => inUnit(value, optionFor(key)?.type),
  });
  throw new InvalidConfig(issues.map(({ message }) => message).join('; '), { cause: parsed.error });
}

const optionFor = (key: PropertyKey | undefined): OptionSpec | undefined =>
  OPTIONS.find((option) => option.key !== undefined && option.key === key);

function dashed(key: PropertyKey | undefined): string | undefined {
  const option = optionFor(key);
  return option && `--${option.name}`;
}

/** A value in the unit that the operator wrote it in. */
function inUnit(value: unknown, type: OptionType | undefined): string | undefined {
  if (typeof value !== 'number') return undefined;
  if (type === 'duration') return formatDuration(value);
  return type === 'bytes' ? formatBytes(value) : undefined;
}
