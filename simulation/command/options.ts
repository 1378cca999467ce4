/** The words of `npm run simulate`, read. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { parseDuration } from '../../cli/format.ts';
import { UsageError } from '../../cli/usage-error.ts';
import { didYouMean } from '../../shared/core/text/nearest.ts';
import { quoted } from '../../shared/core/text/printable.ts';
import { CALL_FAULT_KINDS, CALL_MOMENTS, type CallFault, parseCallFault } from '../models/call-faults.ts';
import { FAULT_NAMES, type FaultName } from '../models/faults.ts';
import type { WorldSpec } from '../worlds/spec.ts';
import { LEDGER_PATH } from './ledger.ts';

/** Verbs with options of their own. */
export const VERBS = ['coverage', 'capacity'] as const;
export type Verb = (typeof VERBS)[number];

export type Command =
  | { readonly verb: 'help' }
  | { readonly verb: Verb; readonly args: readonly string[] }
  | SeedsCommand
  | ReplayCommand;

interface Common {
  /** The first world, or the one. */
  readonly spec: WorldSpec;
  readonly isShrunk: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  /** Processes that run worlds. */
  readonly jobs: number;
}

/** Worlds of as many seeds, from that of `spec` on. */
export interface SeedsCommand extends Common {
  readonly verb: 'seeds';
  readonly count: number;
  readonly stopsAtFirst: boolean;
  /**
   * Each world is run once for each call of the longest invocation of each of these functions, which is
   * struck then.
   */
  readonly struckActors?: readonly string[];
  /** Instead of `count`: the worlds of the corpus, and then as many as fit. */
  readonly budget?: {
    readonly ms: number;
    /** The first new seed, where it was given. */
    readonly from?: number;
    /** The file where runs are noted. */
    readonly ledger: string;
  };
}

/** One world, with what happened in it: to the host concerned, to that one, or to all. */
export interface ReplayCommand extends Common {
  readonly verb: 'replay';
  readonly host?: string;
  readonly isAll: boolean;
}

export interface OptionSpec {
  readonly name: string;
  /** The name of its value in the help; a switch has none. */
  readonly argument?: string;
  readonly isNegatable?: boolean;
  readonly help: string;
}

export const DEFAULT_SEEDS = 100;
/** Functions whose calls can be struck. */
export const ACTORS = ['worker', 'router', 'waker', 'compactor'] as const;

export const OPTIONS = [
  { name: 'seed', argument: 'N', help: 'Seed of the first world. Default 1' },
  {
    name: 'seeds',
    argument: 'COUNT',
    help: `Number of worlds: this seed and the ones after it. Default 1 with --seed, otherwise ${DEFAULT_SEEDS}`,
  },
  {
    name: 'budget',
    argument: 'TIME',
    help: 'Instead of --seeds: first the seeds that failed before (the corpus), then new seeds for this time (30s, 10m, 2h). A later run on the same code continues after the last seed',
  },
  {
    name: 'ledger',
    argument: 'FILE',
    help: `With --budget: the file that records which seeds ran on which state of the code. Default ${LEDGER_PATH}`,
  },
  {
    name: 'faults',
    argument: 'NAMES',
    help: 'Faults that may strike: all, none, or a comma-separated list of names (see below). Default all',
  },
  { name: 'hosts', argument: 'N', help: 'Number of hosts, instead of the number that the seed chooses' },
  {
    name: 'pages',
    argument: 'N',
    help: 'Maximum pages of a host, instead of the number that the seed chooses',
  },
  {
    name: 'crowd',
    argument: 'N',
    help: 'Number of crawls beside those of the world, most of them at rest, instead of the number that the seed chooses',
  },
  { name: 'poisoned', help: 'A page of a large host kills its worker, in each world that does not recrawl' },
  { name: 'rendered', help: 'Scripts fill pages, which crawls render, in each world that does not recrawl' },
  { name: 'refused', help: 'Hosts refuse the crawler, in each world that does not recrawl' },
  { name: 'members', help: 'Hosts are behind a login, in each world that does not recrawl' },
  {
    name: 'locked',
    help: 'Hosts are behind a password of the settings, in each world that does not recrawl',
  },
  { name: 'max-strikes', argument: 'N', help: 'Maximum number of faults that strike in a world' },
  {
    name: 'systematic',
    argument: 'NAMES',
    help: `In each world, put a fault at each call of the longest invocation of these functions: all, or some of ${ACTORS.join(', ')}`,
  },
  {
    name: 'strike',
    argument: 'CALL',
    help: 'Put a fault at one call, for example worker/3/17/before/dies: before call 17 of the 3rd worker invocation (or after) the process dies (or freezes, or the call fails)',
  },
  {
    name: 'jobs',
    argument: 'N',
    help: 'Number of processes that run worlds. Default: the number of cores',
  },
  { name: 'stop-at-first', help: 'Start no further world after one has broken an invariant' },
  {
    name: 'shrink',
    isNegatable: true,
    help: 'Find the smallest world that breaks the same invariant. Default: for the first 3 seeds; not with --replay',
  },
  { name: 'replay', help: 'Run the world of --seed and print the events of the host concerned' },
  { name: 'host', argument: 'NAME', help: 'With --replay: print the events of this host' },
  { name: 'all', help: 'With --replay: print all events, uncut' },
  { name: 'quiet', help: 'Print no progress' },
  { name: 'json', help: 'Print the outcome as one line of JSON on standard output' },
  { name: 'help', help: 'Print this page' },
] as const satisfies readonly OptionSpec[];
type OptionName = (typeof OPTIONS)[number]['name'];

/** The command in `argv` (without node and the script). Throws {@link UsageError}. */
export function readCommand(argv: readonly string[]): Command {
  const verb = VERBS.find((known) => known === argv[0]);
  if (verb) return { verb, args: argv.slice(1) };
  const given = readOptions(argv);
  if (given.help) return { verb: 'help' };
  const textOf = (name: OptionName): string | undefined => given[name] as string | undefined;
  const numberOf = (name: OptionName, least: number) => readNumber(name, textOf(name), least);
  const isReplay = given.replay === true;

  const seeds = numberOf('seeds', 1);
  if (isReplay && seeds !== undefined && seeds > 1)
    throw new UsageError(`--replay shows one world: give its --seed, and no --seeds ${seeds}`);
  for (const name of ['host', 'all'] as const) {
    if (given[name] !== undefined && !isReplay)
      throw new UsageError(`--${name} says what to show of one world: give --replay with it`);
  }
  const [hosts, pages, crowd, maxStrikes] = [
    numberOf('hosts', 1),
    numberOf('pages', 1),
    numberOf('crowd', 0),
    numberOf('max-strikes', 0),
  ] as const;
  const strike = readStrike(textOf('strike'));
  const spec: WorldSpec = {
    seed: numberOf('seed', 0) ?? 1,
    faults: readFaults(textOf('faults') ?? 'all'),
    ...(hosts !== undefined && { hosts }),
    ...(pages !== undefined && { pages }),
    ...(crowd !== undefined && { crowd }),
    ...(given.poisoned === true && { poisoned: true }),
    ...(given.refused === true && { refused: true }),
    ...(given.members === true && { members: true }),
    ...(given.locked === true && { locked: true }),
    ...(given.rendered === true && { rendered: true }),
    ...(maxStrikes !== undefined && { maxStrikes }),
    ...(strike && { strike }),
  };
  const struckActors = readActors(textOf('systematic'));
  if (struckActors && (isReplay || strike))
    throw new UsageError('--systematic strikes each call: give it without --replay and --strike');
  const budget = readBudget(
    textOf('budget'),
    textOf('ledger'),
    given.seed === undefined ? undefined : spec.seed,
  );
  const other = ['seeds', 'systematic', 'replay'].find((name) => given[name as OptionName] !== undefined);
  if (budget && other) throw new UsageError(`--budget says how many worlds run: give it without --${other}`);
  const common = {
    spec,
    isShrunk: (given.shrink as boolean | undefined) ?? !isReplay,
    json: given.json === true,
    quiet: given.quiet === true,
    jobs: numberOf('jobs', 1) ?? availableParallelism(),
  };
  if (isReplay) return { verb: 'replay', ...common, host: textOf('host'), isAll: given.all === true };
  const count = seeds ?? (given.seed === undefined ? DEFAULT_SEEDS : 1);
  return {
    verb: 'seeds',
    ...common,
    count,
    stopsAtFirst: given['stop-at-first'] === true,
    struckActors,
    budget,
  };
}

/** If an option is given twice, the last value counts. */
function readOptions(argv: readonly string[]): Partial<Record<OptionName, string | boolean>> {
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      OPTIONS.map((option) => [option.name, { type: 'argument' in option ? 'string' : 'boolean' }] as const),
    ),
    strict: false,
    tokens: true,
  });
  const given: Partial<Record<OptionName, string | boolean>> = {};
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      const meant = didYouMean(token.value, VERBS, 'options begin with --; see --help');
      throw new UsageError(
        `Expected options, ${VERBS.slice(0, -1).join(', ')} or ${VERBS.at(-1)} first, got ${quoted(token.value)}; ${meant}`,
      );
    }
    const [option, isNo] = optionOf(token.rawName);
    const hasArgument = option.argument !== undefined;
    if (hasArgument && (token.value === undefined || token.value.startsWith('--')))
      throw new UsageError(`Expected --${option.name} ${option.argument}, got no value`);
    if (!hasArgument && token.value !== undefined)
      throw new UsageError(`--${option.name} takes no value, got ${quoted(token.value)}`);
    given[option.name as OptionName] = hasArgument ? token.value : !isNo;
  }
  return given;
}

function optionOf(raw: string): [option: OptionSpec, isNo: boolean] {
  const options: readonly OptionSpec[] = OPTIONS;
  const option = raw === '-h' ? options.at(-1) : options.find(({ name }) => raw === `--${name}`);
  if (option) return [option, false];
  const negated = options.find(({ name, isNegatable }) => isNegatable && raw === `--no-${name}`);
  if (negated) return [negated, true];
  const names = options.map(({ name }) => name);
  const meant = didYouMean(raw.replace(/^-+/, ''), names, 'all options: --help', '--');
  throw new UsageError(`Unknown option ${quoted(raw)}; ${meant}`);
}

/** Throws {@link UsageError} for what is not a whole number of `least` or more. */
export function readNumber(name: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d+(e\d{1,2})?$/i.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new UsageError(`Expected --${name} with a whole number, ${least} or more, got ${quoted(text)}`);
}

function readBudget(
  text: string | undefined,
  ledger: string | undefined,
  from: number | undefined,
): SeedsCommand['budget'] {
  if (text === undefined) {
    if (ledger !== undefined) throw new UsageError('--ledger says where --budget notes its runs: give both');
    return undefined;
  }
  const ms = parseDuration(text);
  if (ms === undefined || ms <= 0)
    throw new UsageError(`Expected --budget with a time such as 30s, 10m or 2h, got ${quoted(text)}`);
  return { ms, ledger: ledger ?? LEDGER_PATH, ...(from !== undefined && { from }) };
}

function readActors(text: string | undefined): readonly string[] | undefined {
  if (text === undefined || text === 'all') return text && ACTORS;
  const names = text.split(',').map((word) => word.trim());
  const unknown = names.find((name) => !ACTORS.some((actor) => actor === name));
  if (unknown === undefined) return names;
  throw new UsageError(`Expected --systematic all, or some of ${ACTORS.join(', ')}, got ${quoted(unknown)}`);
}

function readStrike(text: string | undefined): CallFault | undefined {
  if (text === undefined) return undefined;
  const fault = parseCallFault(text);
  if (fault) return fault;
  throw new UsageError(
    `Expected --strike with a call such as worker/3/17/before/dies (FUNCTION/INVOCATION/CALL/${CALL_MOMENTS.join('|')}/` +
      `${CALL_FAULT_KINDS.join('|')}), got ${quoted(text)}`,
  );
}

/** In the order of the list, each once. Throws {@link UsageError} for an unknown name. */
export function readFaults(text: string): readonly FaultName[] {
  if (text === 'all') return FAULT_NAMES;
  if (text === 'none') return [];
  const words = text.split(',').map((word) => word.trim());
  const known: readonly string[] = FAULT_NAMES;
  for (const word of words) {
    if (known.includes(word)) continue;
    const meant = didYouMean(word, FAULT_NAMES, 'no fault has such a name.');
    throw new UsageError(
      `Expected --faults all, none, or names with commas between them, got ${quoted(word)}; ${meant} ` +
        `There are: ${FAULT_NAMES.join(', ')}`,
    );
  }
  return FAULT_NAMES.filter((name) => words.includes(name));
}
