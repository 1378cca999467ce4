/** How a crawl runs: the options of `crawl` and `resume` that are not settings of it. */
import type { KeptOutputs } from '../../api/local/kept-outputs.ts';
import { LOG_LEVELS, type LogFormat, type LogLevel } from '../../shared/core/text/log-entry.ts';
import { type Given, isSet, numberOf, textOf } from '../given.ts';
import { here, JSON_OPTION, type OptionSpec } from '../option-spec.ts';

/** How a crawl on this machine runs and is shown. */
export interface RunSettings {
  /** The project's file; where none is named, `strand.config.ts` if it is there. */
  readonly config?: string | undefined;
  /** Threads that crawl, each some of the hosts. */
  readonly workers: number;
  /** The browser of a crawl that renders pages. */
  readonly browser?: string | undefined;
  /** The URL of a browser that runs elsewhere. A secret. */
  readonly browserUrl?: string | undefined;
  /** A folder for a mirror, written when the crawl is over. */
  readonly mirror?: string | undefined;
  /** Files in the crawl's folder that are brought up to date when the crawl is over. */
  readonly keep?: KeptOutputs;
  /** Ends when nothing is due. */
  readonly once?: boolean;
  readonly json: boolean;
  /** Lines of a log on standard error; none: what a person watches. */
  readonly logFormat?: LogFormat | undefined;
  readonly logLevel?: LogLevel | undefined;
  readonly quiet: boolean;
}

export function runSettingsOf(given: Given): RunSettings {
  const logLevel = textOf(given, 'log-level') as LogLevel | undefined;
  // A level asks for lines of a log.
  const logFormat = (textOf(given, 'log-format') as LogFormat | undefined) ?? (logLevel && 'text');
  return {
    config: textOf(given, 'config'),
    workers: numberOf(given, 'workers') ?? 1,
    browser: textOf(given, 'browser'),
    browserUrl: textOf(given, 'browser-url'),
    mirror: textOf(given, 'mirror'),
    ...(isSet(given, 'search') && { keep: { search: true } }),
    ...(isSet(given, 'once') && { once: true }),
    json: isSet(given, 'json'),
    ...(logFormat && { logFormat }),
    ...(logLevel && { logLevel }),
    quiet: isSet(given, 'quiet'),
  };
}

export const DEDUPE_OPTION: OptionSpec = {
  name: 'dedupe-from',
  argument: 'CRAWL',
  type: 'text',
  group: 'Archive',
  help: 'do not store payloads again that this earlier crawl has stored: a folder, or with --stack a name',
};

export const CACHE_OPTION: OptionSpec = {
  name: 'cache',
  argument: 'DIR',
  type: 'text',
  only: 'here',
  reason: 'the folder of an earlier crawl is on this machine, where a stack cannot read it',
  group: 'Archive',
  help: 'while you develop hooks: use the responses that the crawl in this folder has stored, and fetch only what it lacks',
};

export const NO_CACHE_OPTION: OptionSpec = {
  name: 'no-cache',
  type: 'flag',
  only: 'here',
  reason: 'a stack has no cache',
  group: 'Archive',
  help: 'continue without the --cache that the crawl began with',
};

const OWN_FUNCTION = 'a stack renders by its own function: deploy it with rendering=true';

export const BROWSER_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'browser',
    argument: 'PATH',
    type: 'text',
    only: 'here',
    reason: OWN_FUNCTION,
    group: 'Pages',
    help: 'the browser of --render; by default STRAND_BROWSER, or a headless Chromium or Chrome of this machine',
  },
  {
    name: 'browser-url',
    argument: 'URL',
    type: 'text',
    only: 'here',
    reason: OWN_FUNCTION,
    group: 'Pages',
    help: 'a browser that runs elsewhere instead: the wss:// or ws:// URL of its WebSocket, or where that stands, such as env:NAME',
  },
];

export const MADE_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'mirror',
    argument: 'FOLDER',
    type: 'text',
    only: 'here',
    reason: 'the files are made of the archive of a crawl on one machine',
    group: 'Crawl',
    help: 'afterwards, also write the pages as files that browsers show without a server; best with --requisites',
  },
  {
    name: 'search',
    type: 'flag',
    only: 'here',
    reason: 'search brings its index up to date by itself',
    group: 'Crawl',
    help: 'afterwards, and after each resume, also bring the index of search up to date',
  },
];

export const SITES_OPTION: OptionSpec = {
  name: 'sites',
  argument: 'FILE|-',
  type: 'text',
  group: 'Crawl',
  help: 'the sites of the crawl, at most 15,000: a URL a line, or CSV or JSON lines with settings and a group for each; with resume, the list that takes the place of the one before',
};

export const ONCE_OPTION: OptionSpec = {
  name: 'once',
  type: 'flag',
  only: 'here',
  reason: 'a stack waits at no cost',
  group: 'Recrawl',
  help: 'end when nothing is due, instead of waiting: for resume by cron',
};

/** How the crawl is shown. */
export const SHOW_OPTIONS: readonly OptionSpec[] = [
  JSON_OPTION,
  ...here(
    [{ name: 'quiet', type: 'flag', group: 'Output', help: 'no progress line' }],
    'a crawl there shows no progress line without --watch',
  ),
  ...here(
    [
      {
        name: 'log-format',
        argument: 'json',
        type: 'choice',
        choices: ['json'],
        former: new Map([['text', '--log-level info']]),
        group: 'Output',
        help: "write the crawl's log to standard error as JSON lines, instead of the progress line",
      },
      {
        name: 'log-level',
        argument: LOG_LEVELS.join('|'),
        type: 'choice',
        choices: LOG_LEVELS,
        group: 'Output',
        preset: 'info',
        help: "the least important level in the log and in the folder's log.jsonl; debug has a line for each page; given alone, writes the log to standard error as text",
      },
    ],
    'the functions of a stack write JSON lines to CloudWatch Logs',
  ),
];

export const WATCH_OPTION: OptionSpec = {
  name: 'watch',
  type: 'flag',
  only: 'stack',
  reason: 'a crawl on one machine shows its progress by itself',
  group: 'Stack',
  help: 'show the progress until the crawl ends',
};
