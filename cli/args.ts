/** From the words of a command line to a {@link Command}. Pure: no file is read, no name looked up. */
import { didYouMean } from '../shared/core/text/nearest.ts';
import { quoted } from '../shared/core/text/printable.ts';
import type { Command, StackCommand } from './command.ts';
import { localCommand } from './local-command.ts';
import type { Location } from './option-spec.ts';
import { optionsOf } from './options.ts';
import { PROGRAM } from './program.ts';
import { type ParsedOptions, readParsedOptions } from './read-options.ts';
import { isSet, textOf } from './read-words.ts';
import { stackAsk } from './stack-ask.ts';
import { UsageError } from './usage-error.ts';
import { VERB_HELP } from './verb-help.ts';
import { isLocalVerb, isStackVerb, STACK_VERBS, VERBS, type Verb } from './verbs.ts';

/**
 * The command in `argv` (without node and the script). Throws {@link UsageError}. Of an option given twice
 * the last counts, but repeatable ones add up. `--` ends the options. `--stack` and `--region` may stand
 * before the verb.
 */
export function parseArgs(argv: readonly string[]): Command {
  const [first, ...rest] = verbFirst(argv);
  if (first === undefined || first === '--help' || first === '-h') return { verb: 'help', ...topic(rest) };
  if (first === '--version') return { verb: 'version' };
  const verb = readVerb(first);
  if (verb === 'help') return { verb, ...topic(rest) };
  if (hasOption(rest, /^(--help|-h)$/)) return { verb: 'help', topic: verb };
  if (!isStackVerb(verb) && hasOption(rest, /^--stack(=|$)/)) throw needsFolder(verb);
  const given = readParsedOptions(verb, rest);
  const stack = textOf(given, 'stack');
  if (stack === undefined) {
    if (!isLocalVerb(verb)) throw needsStack(verb);
    refuseOptionsOf('stack', verb, given);
    return localCommand(verb, given);
  }
  if (!isStackVerb(verb)) throw needsFolder(verb);
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

function hasOption(args: readonly string[], pattern: RegExp): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => pattern.test(arg));
}

/** Refuses what has a meaning only at this place, and the command is for the other one. */
function refuseOptionsOf(place: Location, verb: Verb, { values }: ParsedOptions): void {
  const allowed = optionsOf(verb, place === 'local' ? 'stack' : 'local');
  const stray = optionsOf(verb).find((option) => values.has(option.name) && !allowed.includes(option));
  if (!stray) return;
  const where = place === 'local' ? `${verb} takes no --${stray.name} with --stack` : undefined;
  const message = where ?? `${verb} takes --${stray.name} only with --stack NAME`;
  throw new UsageError(stray.reason ? `${message}: ${stray.reason}` : message);
}

function needsFolder(verb: Verb): UsageError {
  return new UsageError(
    `${verb} is for crawls on this machine: ${PROGRAM} ${verb} ...; on a stack there are ${STACK_VERBS.join(', ')}`,
  );
}

function needsStack(verb: Verb): UsageError {
  return new UsageError(`${verb} needs a stack: ${PROGRAM} --stack NAME ${VERB_HELP[verb].usage}`);
}

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
