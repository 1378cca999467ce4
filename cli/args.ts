/** From the words of a command line to a {@link Command}. No file is read, no name looked up. */
import type { StackAddress } from '../api/stack-address.ts';
import { didYouMean } from '../shared/core/text/nearest.ts';
import { printable, quoted, shorten } from '../shared/core/text/printable.ts';
import { refuseForgottenDashes } from './forgotten-dashes.ts';
import { type Given, isSet, textOf } from './given.ts';
import { newWords } from './old-words.ts';
import type { OptionSpec } from './option-spec.ts';
import { PROGRAM } from './program.ts';
import { type ParsedOptions, readOptions, UnknownOption } from './read-options.ts';
import { UsageError } from './usage-error.ts';
import { allOptionsOf, isHere, isOnStack } from './verb.ts';
import { loadAll, STACK_VERBS, TABLE, VERBS, type Verb } from './verbs.ts';

/** A command that can be run. */
export interface Command {
  readonly verb: Verb;
  /** Absent: this machine. */
  readonly address?: StackAddress;
  readonly json: boolean;
  /** The words as `read` of its file has read them. */
  readonly asked: unknown;
  /** A line for standard error. */
  readonly note?: string;
}

export type CommandLine = Command | 'version';

/**
 * The command in `argv` (without node and the script). Throws {@link UsageError}. Of an option given twice
 * the last counts, but repeatable ones add up. `--` ends the options. `--stack` and `--region` may stand
 * before the verb. `environment`: of npm, which may have kept options.
 */
export async function parseArgs(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<CommandLine> {
  const { words, note } = newWords(verbFirst(argv));
  const [first, ...rest] = words;
  if (first === undefined || first === '--help' || first === '-h') return helpOn(rest);
  if (first === '--version') return 'version';
  const verb = await readVerb(first);
  if (verb === 'help') return helpOn(rest);
  if (hasOption(rest, /^(--help|-h)$/)) return helpOn([verb]);
  if (hasOption(rest, /^--help-all$/)) return helpOn([verb, '--all']);
  const entry = TABLE[verb];
  if (!isOnStack(entry) && hasOption(rest, /^--stack(=|$)/)) throw needsFolder(verb);
  const file = await entry.load();
  const options = allOptionsOf(entry, file);
  refuseForgottenDashes(environment, options);
  const parsed = await parsedOptions(verb, options, rest);
  const stack = textOf(parsed, 'stack');
  if (stack === undefined && !isHere(entry)) throw needsStack(file.usage);
  const given: Given = { verb, isOnStack: stack !== undefined, options, ...parsed };
  refuseOtherPlace(given);
  const address = stack !== undefined && { stack: readStackName(stack), region: textOf(given, 'region') };
  return {
    verb,
    ...(address && { address }),
    json: isSet(given, 'json'),
    asked: file.read(given),
    ...(note !== undefined && { note }),
  };
}

async function parsedOptions(
  verb: Verb,
  options: readonly OptionSpec[],
  words: readonly string[],
): Promise<ParsedOptions> {
  try {
    return readOptions(options, words);
  } catch (error) {
    if (error instanceof UnknownOption) throw await unknownOption(verb, options, error);
    throw error;
  }
}

/** The option that was meant, or the commands that take it. */
async function unknownOption(
  verb: Verb,
  options: readonly OptionSpec[],
  { dashed }: UnknownOption,
): Promise<UsageError> {
  const word = dashed.replace(/^--?/, '');
  const { nameHere, otherWay } = await import('./other-names.ts');
  const ours = nameHere(word);
  if (ours !== undefined && options.some(({ name }) => name === ours.name))
    return new UsageError(`Unknown option ${dashed}; use ${ours.usage}`);
  const way = otherWay(verb, word);
  if (way !== undefined) return new UsageError(`Unknown option ${dashed}; ${way}`);
  const formats = options.find(({ name }) => name === 'format')?.choices;
  if (formats?.includes(word)) return new UsageError(`Unknown option ${dashed}; use --format ${word}`);
  const setting = SETTING_VERBS.has(verb) ? await settingOf(word) : undefined;
  if (setting !== undefined && verb === 'resume') return keptSetting(word);
  if (setting !== undefined)
    return new UsageError(`Unknown option ${dashed}; it is a setting of strand.config.ts: ${setting}`);
  const all = await loadAll();
  const takers = options.some(({ name }) => name === word)
    ? []
    : VERBS.filter((other) => allOptionsOf(TABLE[other], all[other]).some(({ name }) => name === word));
  if (verb === 'resume' && takers.includes('crawl')) return keptSetting(word);
  if (takers.length > 0)
    return new UsageError(`${verb} takes no --${word}; it belongs to ${takers.join(', ')}`);
  const names = options.flatMap(({ name, isNegatable }) => (isNegatable ? [name, `no-${name}`] : [name]));
  const meant = didYouMean(word, names, `see ${PROGRAM} help ${verb}`, '--');
  return new UsageError(`Unknown option ${shorten(printable(dashed), 60)}; ${meant}`);
}

/** The commands of all settings of a crawl. */
const SETTING_VERBS: ReadonlySet<Verb> = new Set(['crawl', 'explain', 'resume']);

const keptSetting = (word: string): UsageError =>
  new UsageError(
    `resume takes no --${word}: a crawl keeps the settings that it began with, limits aside. Begin another one by crawl`,
  );

/** The setting without an option that an option is called after: `crawl: { maxRedirects: ... }` for `max-redirects`. */
async function settingOf(word: string): Promise<string | undefined> {
  const { SETTING_LIST } = await import('../shared/core/crawl/settings/settings.ts');
  const key = word.replace(/^no-/, '').replaceAll(/-([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
  const found = SETTING_LIST.find(([name, { option }]) => !option && (name === key || name === `${key}Ms`));
  if (found === undefined) return undefined;
  const [name, { type }] = found;
  return `crawl: { ${name}: ${type === 'flag' ? !word.startsWith('no-') : '...'} }`;
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

async function readVerb(word: string): Promise<Verb> {
  const verb = VERBS.find((known) => known === word);
  if (verb) return verb;
  if (word.startsWith('-')) {
    throw new UsageError(`Expected a command first (${PROGRAM} help lists them), got ${quoted(word)}`);
  }
  if (/[.:/]/.test(word)) {
    throw new UsageError(`${quoted(word)} is no command; to crawl it: ${PROGRAM} crawl URL`);
  }
  const { commandHere } = await import('./other-names.ts');
  const ours = commandHere(word);
  const meant = ours ? `use ${PROGRAM} ${ours}` : didYouMean(word, VERBS, `${PROGRAM} help lists them`);
  throw new UsageError(`Unknown command ${quoted(word)}; ${meant}`);
}

/** The page of a command, or of all. */
async function helpOn(words: readonly string[]): Promise<Command> {
  const [topic] = newWords(words.filter((word) => word !== '--all')).words;
  const given: Given = {
    verb: 'help',
    isOnStack: false,
    options: [],
    words: topic === undefined ? [] : [await readVerb(topic)],
    values: new Map([['all', words.includes('--all')]]),
  };
  return { verb: 'help', json: false, asked: (await TABLE.help.load()).read(given) };
}

function hasOption(args: readonly string[], pattern: RegExp): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => pattern.test(arg));
}

/** Refuses what has a meaning only at the other place. */
function refuseOtherPlace({ verb, isOnStack, values, options }: Given): void {
  const other = isOnStack ? 'here' : 'stack';
  const stray = options.find(({ name, only }) => only === other && values.has(name));
  if (!stray) return;
  const message = isOnStack
    ? `${verb} takes no --${stray.name} with --stack`
    : `${verb} takes --${stray.name} only with --stack NAME`;
  throw new UsageError(stray.reason ? `${message}: ${stray.reason}` : message);
}

function needsFolder(verb: Verb): UsageError {
  return new UsageError(
    `${verb} is for crawls on this machine: ${PROGRAM} ${verb} ...; on a stack there are ${STACK_VERBS.join(', ')}`,
  );
}

/** `usage`: of a command that has no meaning on one machine. */
const needsStack = (usage: string): UsageError =>
  new UsageError(`${usage.split(' ')[0]} needs a stack: ${PROGRAM} --stack NAME ${usage}`);

/** SSM takes no longer name of a parameter. */
const MAX_STACK_PATH = 1011;

/** A stack's name, a construct's path (`MyStack/News`), or a parameter (`/strand/news`). */
function readStackName(text: string): string {
  if (/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(text)) return text;
  if (/^\/?[\w.-]+(?:\/[\w.-]+)+$|^\/[\w.-]+$/.test(text) && text.length <= MAX_STACK_PATH) return text;
  throw new UsageError(
    `Expected --stack NAME (a letter, then letters, digits and -), --stack STACK/CONSTRUCT or --stack /PARAMETER, got ${quoted(text)}`,
  );
}
