/** From the words of a command line to a {@link Command}. Pure: no file is read, no name looked up. */
import { contactFault } from '../shared/control/contact-fault.ts';
import { didYouMean } from '../shared/control/nearest.ts';
import { printable, quoted, shorten } from '../shared/control/printable.ts';
import type { CrawlOptions } from '../shared/crawl/config.ts';
import { parseSeed } from '../shared/url/parse-seed.ts';
import { parseBlock, parseBytes, parseDuration, parsePattern, parsePin } from './format.ts';
import {
  type ExportFormat,
  OPTIONS,
  type OptionSpec,
  optionsOf,
  PROGRAM,
  VERBS,
  type Verb,
} from './options.ts';

/** The command line cannot be followed. The message names what is wrong, what was expected and what came. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The limits that `resume` may raise. */
export type RaisedLimits = Pick<CrawlOptions, 'maxPages' | 'maxBytes' | 'maxTimeMs'>;

/** What to do. Options and limits hold only what was given; `parseCrawlConfig` checks and completes them. */
export type Command =
  | {
      readonly verb: 'crawl';
      /** Absolute http(s) URLs as the WHATWG parser writes them, in the order given. */
      readonly seeds: readonly string[];
      /** A file with more seeds; `-` is standard input. */
      readonly seedsFile?: string;
      readonly out?: string;
      readonly options: CrawlOptions;
      readonly json: boolean;
      readonly quiet: boolean;
    }
  | {
      readonly verb: 'resume';
      readonly dir: string;
      readonly limits: RaisedLimits;
      readonly json: boolean;
      readonly quiet: boolean;
    }
  | { readonly verb: 'status'; readonly dir: string; readonly json: boolean }
  | { readonly verb: 'url'; readonly dir: string; readonly url: string; readonly json: boolean }
  | { readonly verb: 'export'; readonly dir: string; readonly format: ExportFormat }
  | { readonly verb: 'help'; readonly topic?: Verb }
  | { readonly verb: 'version' };

/** Words without options, and the options' values by name: `true` and `false` for flags, arrays for repeatable ones. */
interface Given {
  readonly words: string[];
  readonly values: Map<string, unknown>;
}

/**
 * The command in `argv` (without node and the script). Throws {@link UsageError}. Of an option given twice the last
 * counts, but repeatable ones add up. `--` ends the options.
 */
export function parseArgs(argv: readonly string[]): Command {
  const [first, ...rest] = argv;
  if (first === undefined || first === '--help' || first === '-h') return { verb: 'help', ...topic(rest) };
  if (first === '--version') return { verb: 'version' };
  const verb = readVerb(first);
  if (verb === 'help') return { verb, ...topic(rest) };
  if (asksForHelp(rest)) return { verb: 'help', topic: verb };
  const given = readGiven(verb, rest);
  const json = given.values.get('json') === true;
  const quiet = given.values.get('quiet') === true;
  switch (verb) {
    case 'crawl':
      return crawlCommand(given, json, quiet);
    case 'resume':
      return { verb, dir: readDir(verb, given), limits: configOf(given) as RaisedLimits, json, quiet };
    case 'status':
      return { verb, dir: readDir(verb, given), json };
    case 'url': {
      const [dir, url] = readWords(verb, given, 'DIR', 'URL');
      return { verb, dir: dir!, url: seedUrl(url!), json };
    }
    case 'export': {
      const format = given.values.get('format') as ExportFormat | undefined;
      if (!format) throw new UsageError('Expected --format jsonl|csv, got nothing');
      return { verb, dir: readDir(verb, given), format };
    }
  }
}

function crawlCommand({ words, values }: Given, json: boolean, quiet: boolean): Command {
  const seedsFile = values.get('seeds') as string | undefined;
  const out = values.get('out') as string | undefined;
  if (words.length === 0 && seedsFile === undefined) {
    throw new UsageError(`Expected a seed, got none: ${PROGRAM} crawl https://example.org/, or --seeds FILE`);
  }
  const seeds = words.map((word) => seedUrl(word));
  return { verb: 'crawl', seeds, seedsFile, out, options: configOf({ words, values }), json, quiet };
}

function readVerb(word: string): Verb {
  const verb = VERBS.find((known) => known === word);
  if (verb) return verb;
  if (word.startsWith('-')) {
    throw new UsageError(`Expected a command first (${VERBS.join(', ')}), got ${quoted(word)}`);
  }
  if (/[.:/]/.test(word)) {
    throw new UsageError(`${quoted(word)} is no command; to crawl it: ${PROGRAM} crawl URL`);
  }
  const meant = didYouMean(word, VERBS, `there are ${VERBS.join(', ')}`);
  throw new UsageError(`Unknown command ${quoted(word)}; ${meant}`);
}

function topic(words: readonly string[]): { topic?: Verb } {
  return words[0] === undefined ? {} : { topic: readVerb(words[0]) };
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
}

function readDir(verb: Verb, given: Given): string {
  return readWords(verb, given, 'DIR')[0]!;
}

function readWords(verb: Verb, { words }: Given, ...expected: string[]): readonly string[] {
  if (words.length === expected.length && words.every((word) => word !== '')) return words;
  const came = words.length === 0 ? 'nothing' : words.map(quoted).slice(0, 5).join(' ');
  throw new UsageError(`Expected ${PROGRAM} ${verb} ${expected.join(' ')}, got ${came}`);
}

function readGiven(verb: Verb, args: readonly string[]): Given {
  const given: Given = { words: [], values: new Map() };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === '--') {
      given.words.push(...args.slice(i + 1));
      break;
    }
    if (arg === '-' || !arg.startsWith('-')) {
      refuseStrayBlock(args[i - 1], arg);
      given.words.push(arg);
      continue;
    }
    const equals = arg.indexOf('=');
    const name = equals < 0 ? arg : arg.slice(0, equals);
    let text = equals < 0 ? undefined : arg.slice(equals + 1);
    const { option, isNegated } = findOption(verb, name);
    if (text === undefined && option.type !== 'flag' && option.type !== 'addresses') {
      const next = args[i + 1];
      // A value may begin with one dash (`--seeds -`, a negative number to be refused by name), not with two.
      if (next === undefined || (next.startsWith('--') && next.length > 2)) throw expected(option, next);
      text = next;
      i++;
    }
    given.values.set(option.name, readValue(option, isNegated, text, given.values.get(option.name)));
  }
  return given;
}

/** `--allow-private-addresses 127.0.0.0/8` would take the block for a seed. */
function refuseStrayBlock(before: string | undefined, word: string): void {
  if (before === '--allow-private-addresses' && /^[\da-f.:]+\/\d+(,|$)/i.test(word)) {
    throw new UsageError(
      `Expected ${before}=${word} (its value comes after =), got ${quoted(`${before} ${word}`)}`,
    );
  }
}

function findOption(verb: Verb, dashed: string): { option: OptionSpec; isNegated: boolean } {
  const options = optionsOf(verb);
  for (const option of options) {
    if (dashed === `--${option.name}`) return { option, isNegated: false };
    if (option.isNegatable && dashed === `--no-${option.name}`) return { option, isNegated: true };
  }
  const word = dashed.replace(/^--?/, '');
  const elsewhere = OPTIONS.find((option) => option.name === word && !options.includes(option));
  if (elsewhere) {
    const takers = VERBS.filter((other) => optionsOf(other).includes(elsewhere)).join(', ');
    throw new UsageError(`${verb} takes no --${word}; it belongs to ${takers}`);
  }
  const names = options.flatMap(({ name, isNegatable }) => (isNegatable ? [name, `no-${name}`] : [name]));
  const meant = didYouMean(word, names, `see ${PROGRAM} help ${verb}`, '--');
  throw new UsageError(`Unknown option ${shorten(printable(dashed), 60)}; ${meant}`);
}

function readValue(
  option: OptionSpec,
  isNegated: boolean,
  text: string | undefined,
  before: unknown,
): unknown {
  const added = (value: unknown[]): unknown[] => [...((before as unknown[] | undefined) ?? []), ...value];
  if (option.type === 'flag') {
    if (text !== undefined)
      throw new UsageError(`Expected --${option.name} without a value, got ${quoted(text)}`);
    return !isNegated;
  }
  if (option.type === 'addresses' && text === undefined) return added(['0.0.0.0/0', '::/0']);
  if (text === undefined || text === '') throw expected(option, text);
  switch (option.type) {
    case 'text':
      return text;
    case 'choice':
      return readChoice(option, text);
    case 'count':
      if (!/^\d{1,15}$/.test(text)) throw expected(option, text, 'a whole number');
      return Number(text);
    case 'bytes':
      return parseBytes(text) ?? fail(expected(option, text, 'such as 500k, 10MB or 1GiB'));
    case 'duration':
      return (
        parseDuration(text) ?? fail(expected(option, text, 'such as 90 (seconds), 500ms, 10m, 2h or 1d'))
      );
    case 'patterns':
      return added([parsePattern(text) ?? fail(expected(option, text, 'a regular expression'))]);
    case 'pins':
      return added([parsePin(text) ?? fail(expected(option, text, 'such as *.test=127.0.0.1'))]);
    case 'addresses':
      return added(
        text.split(',').map((block) => {
          return parseBlock(block.trim()) ?? fail(expected(option, text, 'such as 127.0.0.0/8,::1/128'));
        }),
      );
  }
}

function readChoice(option: OptionSpec, text: string): string {
  const choices = option.choices ?? [];
  const meant = didYouMean(text, choices, '');
  if (!choices.includes(text)) throw expected(option, text, '', meant && `; ${meant}`);
  return text;
}

/** The given options that are keys of the crawl's configuration, under these keys. */
function configOf({ values }: Given): CrawlOptions {
  const entries = OPTIONS.flatMap(({ key, name }) =>
    key && values.has(name) ? [[key, values.get(name)]] : [],
  );
  return Object.fromEntries(entries) as CrawlOptions;
}

/**
 * The seed as an absolute URL: `example.org` is taken as `https://example.org/`. Throws {@link UsageError} for what
 * is no http(s) URL; `where` tells where it stood.
 */
export function seedUrl(text: string, where = ''): string {
  return (
    parseSeed(text) ?? fail(new UsageError(`Expected an http or https URL${where}, got ${quoted(text)}`))
  );
}

/** The seeds of a file, one a line; empty lines and lines that begin with `#` are none. `name` is the file's. */
export function seedLines(content: string, name: string): string[] {
  const lines = content.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  return lines.flatMap((line, i) => {
    const text = line.trim();
    return text === '' || text.startsWith('#') ? [] : [seedUrl(text, ` in ${name}, line ${i + 1}`)];
  });
}

/**
 * A crawl tells the hosts how its operator can be reached: by `contact`, or by a URL or mail address within
 * `userAgent`. Throws {@link UsageError} where neither does, unless every seed is on this machine (localhost,
 * 127.0.0.0/8, ::1); and where `contact` is neither a URL nor a mail address.
 */
export function checkContact(
  seeds: readonly string[],
  identity: Pick<CrawlOptions, 'contact' | 'userAgent'>,
): void {
  const fault = contactFault(seeds, identity);
  if (fault === 'unreadable') {
    throw new UsageError(
      `Expected --contact to be a URL or a mail address, got ${quoted(identity.contact ?? '')}`,
    );
  }
  if (fault === 'missing') {
    throw new UsageError(
      'The hosts must be able to reach whoever crawls them: add --contact https://example.org/about-my-crawl ' +
        'or --contact me@example.org (or a URL or mail address within --user-agent)',
    );
  }
}

function expected(option: OptionSpec, text: string | undefined, hint = '', end = ''): UsageError {
  const came = text ? quoted(text) : 'nothing';
  return new UsageError(
    `Expected --${option.name} ${option.argument}${hint && ` (${hint})`}, got ${came}${end}`,
  );
}

function fail(error: Error): never {
  throw error;
}
