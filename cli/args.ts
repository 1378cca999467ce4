/** From the words of a command line to a {@link Command}. Pure: no file is read, no name looked up. */
import { crawlIdSchema } from '../shared/control/api-schemas.ts';
import { didYouMean } from '../shared/control/nearest.ts';
import { quoted } from '../shared/control/printable.ts';
import type { CrawlOptions } from '../shared/crawl/config.ts';
import type { Command, LocalCommand, Seeds, StackAsk, StackCommand } from './command.ts';
import type { ExportFormat, Location } from './option-spec.ts';
import { OPTIONS, optionsOf } from './options.ts';
import { type Given, readGiven } from './read-options.ts';
import { seedUrl } from './seeds.ts';
import { UsageError } from './usage-error.ts';
import { isLocalVerb, type LocalVerb, PROGRAM, type StackVerb, VERBS, type Verb } from './verbs.ts';

/**
 * The command in `argv` (without node and the script). Throws {@link UsageError}. Of an option given twice the last
 * counts, but repeatable ones add up. `--` ends the options. `--stack` and `--region` may stand before the verb.
 */
export function parseArgs(argv: readonly string[]): Command {
  const [first, ...rest] = verbFirst(argv);
  if (first === undefined || first === '--help' || first === '-h') return { verb: 'help', ...topic(rest) };
  if (first === '--version') return { verb: 'version' };
  const verb = readVerb(first);
  if (verb === 'help') return { verb, ...topic(rest) };
  if (asksForHelp(rest)) return { verb: 'help', topic: verb };
  const given = readGiven(verb, rest);
  const stack = textOf(given, 'stack');
  if (stack === undefined) {
    if (!isLocalVerb(verb)) throw needsStack(verb);
    refuseOptionsOf('stack', verb, given);
    return localCommand(verb, given);
  }
  refuseOptionsOf('local', verb, given);
  const address = { stack: readStackName(stack), region: textOf(given, 'region') };
  return { ...address, ...stackAsk(verb, given), json: isSet(given, 'json') } satisfies StackCommand;
}

/** `--stack NAME --region REGION VERB ...` as `VERB --stack NAME --region REGION ...`. */
function verbFirst(argv: readonly string[]): readonly string[] {
  let at = 0;
  while (/^--(stack|region)(=|$)/.test(argv[at] ?? '')) at += argv[at]!.includes('=') ? 1 : 2;
  if (at === 0) return argv;
  const verb = argv[at];
  if (verb === undefined) {
    throw new UsageError(`Expected ${PROGRAM} --stack NAME COMMAND, got ${argv.map(quoted).join(' ')}`);
  }
  if (verb === 'help' || verb.startsWith('-')) return argv.slice(at);
  return [verb, ...argv.slice(0, at), ...argv.slice(at + 1)];
}

function localCommand(verb: LocalVerb, given: Given): LocalCommand {
  const json = isSet(given, 'json');
  const quiet = isSet(given, 'quiet');
  const config = textOf(given, 'config');
  switch (verb) {
    case 'crawl':
      return {
        verb,
        ...readSeedWords(verb, given.words, given),
        out: textOf(given, 'out'),
        config,
        options: configOf(given),
        json,
        quiet,
      };
    case 'resume':
      return { verb, dir: readWords(verb, given, 'DIR')[0]!, config, limits: configOf(given), json, quiet };
    case 'status':
      return { verb, dir: readWords(verb, given, 'DIR')[0]!, json };
    case 'url': {
      const [dir, url] = readWords(verb, given, 'DIR', 'URL');
      return { verb, dir: dir!, url: seedUrl(url!), json };
    }
    case 'export':
      return { verb, format: readFormat(given), dir: readWords(verb, given, 'DIR')[0]! };
  }
}

function stackAsk(verb: StackVerb, given: Given): StackAsk {
  const { words } = given;
  const watch = isSet(given, 'watch');
  const crawlAlone = () => readCrawlName(readWords(verb, given, 'CRAWL')[0]!);
  switch (verb) {
    case 'crawl': {
      const name = textOf(given, 'name');
      return {
        verb,
        ...readSeedWords(verb, words, given),
        name: name && readCrawlName(name),
        config: textOf(given, 'config'),
        options: configOf(given),
        watch,
      };
    }
    case 'add': {
      const [crawl, ...seeds] = words;
      if (crawl === undefined) throw wrongWords(verb, words, ['CRAWL', 'SEED...']);
      return { verb, crawl: readCrawlName(crawl), ...readSeedWords(verb, seeds, given) };
    }
    case 'resume':
      return { verb, crawl: crawlAlone(), limits: configOf(given), watch };
    case 'status':
    case 'watch':
    case 'pause':
    case 'stop':
      return { verb, crawl: crawlAlone() };
    case 'list':
      readWords(verb, given);
      return { verb };
    case 'hosts': {
      const [crawl, host] = words.length === 2 ? words : readWords(verb, given, 'CRAWL');
      const page = {
        cursor: textOf(given, 'cursor'),
        limit: given.values.get('limit') as number | undefined,
      };
      if (host !== undefined && (page.cursor !== undefined || page.limit !== undefined)) {
        throw new UsageError('Expected --limit and --cursor without a host: one host has one answer');
      }
      return { verb, crawl: readCrawlName(crawl!), host: host?.toLowerCase(), ...page };
    }
    case 'url': {
      const [crawl, url] = readWords(verb, given, 'CRAWL', 'URL');
      return { verb, crawl: readCrawlName(crawl!), url: seedUrl(url!) };
    }
    case 'export':
      return { verb, format: readFormat(given), crawl: crawlAlone() };
  }
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

/** Refuses what has a meaning only at this place, and the command is for the other one. */
function refuseOptionsOf(place: Location, verb: Verb, { values }: Given): void {
  const allowed = optionsOf(verb, place === 'local' ? 'stack' : 'local');
  const stray = OPTIONS.find((option) => values.has(option.name) && !allowed.includes(option));
  if (!stray) return;
  const where = place === 'local' ? `${verb} takes no --${stray.name} with --stack` : undefined;
  const message = where ?? `${verb} takes --${stray.name} only with --stack NAME`;
  throw new UsageError(stray.reason ? `${message}: ${stray.reason}` : message);
}

function needsStack(verb: Verb): UsageError {
  return new UsageError(
    `${verb} is for the crawls of a deployed stack: ${PROGRAM} --stack NAME ${verb} ...; on one machine there are ` +
      `${VERBS.filter(isLocalVerb).join(', ')}, and Ctrl-C to pause`,
  );
}

/** As CloudFormation takes names of stacks. */
function readStackName(text: string): string {
  if (/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(text)) return text;
  throw new UsageError(`Expected --stack NAME (a letter, then letters, digits and -), got ${quoted(text)}`);
}

function readCrawlName(text: string): string {
  if (crawlIdSchema.safeParse(text).success) return text;
  throw new UsageError(
    `Expected the name of a crawl (letters, digits, ., _ and -; 64 at most), got ${quoted(text)}; ` +
      `all of a stack: ${PROGRAM} --stack NAME list`,
  );
}

function readSeedWords(verb: Verb, words: readonly string[], given: Given): Seeds {
  const seedsFile = textOf(given, 'seeds');
  if (words.length === 0 && seedsFile === undefined) {
    const example = verb === 'add' ? '--stack NAME add CRAWL' : verb;
    throw new UsageError(
      `Expected a seed, got none: ${PROGRAM} ${example} https://example.org/, or --seeds FILE`,
    );
  }
  return { seeds: words.map((word) => seedUrl(word)), seedsFile };
}

function readFormat(given: Given): ExportFormat {
  const format = given.values.get('format') as ExportFormat | undefined;
  if (!format) throw new UsageError('Expected --format jsonl|csv, got nothing');
  return format;
}

function readWords(verb: Verb, { words }: Given, ...expected: string[]): readonly string[] {
  if (words.length === expected.length && words.every((word) => word !== '')) return words;
  throw wrongWords(verb, words, expected);
}

function wrongWords(verb: Verb, words: readonly string[], expected: readonly string[]): UsageError {
  const came = words.length === 0 ? 'nothing' : words.map(quoted).slice(0, 5).join(' ');
  return new UsageError(`Expected ${[PROGRAM, verb, ...expected].join(' ')}, got ${came}`);
}

const textOf = ({ values }: Given, name: string): string | undefined =>
  values.get(name) as string | undefined;
const isSet = ({ values }: Given, name: string): boolean => values.get(name) === true;

/** The given options that are keys of the crawl's configuration, under these keys. */
function configOf({ values }: Given): CrawlOptions {
  const entries = OPTIONS.flatMap(({ key, name }) =>
    key && values.has(name) ? [[key, values.get(name)]] : [],
  );
  return Object.fromEntries(entries) as CrawlOptions;
}
