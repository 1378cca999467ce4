/**
 * The one table of what the command line takes: it drives the parsing, the help and the README. What an option
 * means, its limits and its default are those of its key in `shared/crawl/config.ts`.
 */
import { crawlConfigSchema, SCOPES } from '../shared/crawl/config.ts';
import { formatBytes, formatDuration } from './format.ts';
import { EXPORT_FORMATS, type Location, type OptionSpec } from './option-spec.ts';
import { STACK_VERBS, type Verb } from './verbs.ts';

const BOTH = ['crawl', 'resume'] as const;

export const OPTIONS: readonly OptionSpec[] = [
  {
    name: 'out',
    argument: 'DIR',
    type: 'text',
    stackVerbs: [],
    reason: 'a stack keeps its crawls in its own tables and bucket',
    group: 'Crawl',
    help: 'folder that keeps the crawl: its state and its WARC files; by default a new one in crawls/',
  },
  {
    name: 'seeds',
    argument: 'FILE|-',
    type: 'text',
    stackVerbs: ['crawl', 'add'],
    group: 'Crawl',
    help: 'more seeds, one URL a line (# begins a comment); - reads standard input',
  },
  {
    name: 'config',
    argument: 'FILE',
    type: 'text',
    verbs: BOTH,
    stackVerbs: ['crawl'],
    reason:
      'what stands around fetches there was deployed with the stack, and its settings are for new crawls',
    group: 'Crawl',
    help: "the project's file; by default strand.config.ts in this folder, if it is there",
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
    name: 'max-cost',
    argument: 'USD',
    type: 'dollars',
    key: 'maxCost',
    verbs: [],
    stackVerbs: BOTH,
    reason: 'nothing is paid for by use on one machine',
    group: 'Limits',
    help: 'end before it has cost so many US dollars at list price: 5, 0.50',
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
    stackVerbs: [],
    reason: 'how many hosts a worker of a stack serves is settled when it is deployed (hostsPerWorker)',
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
    stackVerbs: STACK_VERBS.filter((verb) => verb !== 'export'),
    group: 'Output',
    help: 'answer in one line of JSON on standard output',
  },
  {
    name: 'quiet',
    type: 'flag',
    verbs: BOTH,
    stackVerbs: [],
    reason: 'a crawl there shows no progress line unless --watch or the verb watch asks for one',
    group: 'Output',
    help: 'no progress line',
  },
  {
    name: 'limit',
    argument: 'N',
    type: 'count',
    verbs: [],
    stackVerbs: ['hosts'],
    group: 'Output',
    help: 'so many hosts at most; the answer tells how to ask for those after them',
  },
  {
    name: 'cursor',
    argument: 'TEXT',
    type: 'text',
    verbs: [],
    stackVerbs: ['hosts'],
    group: 'Output',
    help: 'the hosts after those of an earlier answer',
  },
  {
    name: 'stack',
    argument: 'NAME',
    type: 'text',
    verbs: [],
    stackVerbs: STACK_VERBS,
    group: 'Stack',
    help: 'on the stack that `cdk deploy` made under this name, and not on this machine',
  },
  {
    name: 'region',
    argument: 'REGION',
    type: 'text',
    verbs: [],
    stackVerbs: STACK_VERBS,
    reason: 'there is no region on one machine',
    group: 'Stack',
    help: "where the stack is; by default AWS_REGION, or the profile's own",
  },
  {
    name: 'name',
    argument: 'CRAWL',
    type: 'text',
    verbs: [],
    stackVerbs: ['crawl'],
    reason: 'a crawl on one machine is called by its folder: --out DIR',
    group: 'Stack',
    help: "what the crawl is called; by default its first seed's host",
  },
  {
    name: 'watch',
    type: 'flag',
    verbs: [],
    stackVerbs: BOTH,
    reason: 'a crawl on one machine shows its progress by itself',
    group: 'Stack',
    help: 'stay with the crawl, and show how far it is, until it ends',
  },
];

/** The options that a verb takes at this place, or at any where none is named; in the table's order. */
export function optionsOf(verb: Verb, location?: Location): OptionSpec[] {
  return OPTIONS.filter(
    (option) =>
      (location !== 'stack' && localVerbsOf(option).includes(verb)) ||
      (location !== 'local' && stackVerbsOf(option).includes(verb)),
  );
}

const localVerbsOf = ({ verbs = ['crawl'] }: OptionSpec): readonly Verb[] => verbs;
const stackVerbsOf = (option: OptionSpec): readonly Verb[] => option.stackVerbs ?? localVerbsOf(option);

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
