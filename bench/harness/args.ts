/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util';
import { type BenchOptions, CLAIMS, type Claim, type ClaimOption } from '../claims.ts';

export const USAGE = `npm run bench [-- NAME] [options]     one claim, or all that are short
npm run bench -- table [--write FILE] the table of the last records, or puts it between the markers of FILE

  --json            a record as one line of JSON instead of text
  --save            adds the record to bench/records.jsonl

Options of some claims; the others refuse them:
  --rounds N        of what is compared: how often each is run, interleaved (default 3)
  --hosts N         of the generated web (default 50); cost: of the simulated web, on a stack with default options
  --pages N         of each host (default 100)
  --delay SECONDS   cost: between two requests to a host (default 1)
  --running N       many-crawls: crawls that run, most of them at rest (default 5000)
  --stored N        many-crawls: crawls that have ended (default 10000)
  --whole           cost: of a crawl from its first page to its last one, instead of minutes in which all hosts have pages
  --https           peers: the generated web over TLS 1.3
  --synthweb DIR    crawl the web of this program in Go instead, built there`;

export interface BenchCommand {
  /** None: all that are short. */
  readonly name?: string;
  readonly json: boolean;
  readonly save: boolean;
  /** For `table`: the file with the markers. */
  readonly write?: string;
  readonly options: BenchOptions;
}

const CLAIM_OPTIONS: readonly ClaimOption[] = [
  'rounds',
  'hosts',
  'pages',
  'synthweb',
  'https',
  'delay',
  'whole',
  'running',
  'stored',
];

/** Throws for words that are not understood, with one line for people. */
export function parseBenchArgs(args: readonly string[]): BenchCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
      write: { type: 'string' },
      rounds: { type: 'string' },
      hosts: { type: 'string' },
      pages: { type: 'string' },
      delay: { type: 'string' },
      synthweb: { type: 'string' },
      https: { type: 'boolean' },
      whole: { type: 'boolean' },
      running: { type: 'string' },
      stored: { type: 'string' },
    },
  });
  const [name, ...words] = positionals;
  const { json, save, write, synthweb } = values;
  const given = new Set(CLAIM_OPTIONS.filter((option) => values[option] !== undefined));
  const claim = CLAIMS.find((one) => one.name === name);
  if (claim) refuseOthers(claim, given, words);
  if (values.https && synthweb !== undefined)
    throw new Error('--https needs the own generated web: no --synthweb');
  if (write !== undefined && name !== 'table') throw new Error('Only table takes --write');
  const count = (option: 'rounds' | 'hosts' | 'pages' | 'running' | 'stored', fallback: number): number => {
    const value = Number(values[option] ?? fallback);
    if (!Number.isSafeInteger(value) || value < 1)
      throw new Error(`Expected --${option} to be a whole number from 1 on, got ${values[option]}`);
    return value;
  };
  const delay = Number(values.delay ?? 1);
  if (!(delay >= 0 && delay <= 3600))
    throw new Error(`Expected --delay to be a number of seconds from 0 to 3600, got ${values.delay}`);
  const [rounds, hosts, pages] = [count('rounds', 3), count('hosts', 50), count('pages', 100)];
  return {
    name,
    json,
    save,
    write,
    options: {
      words,
      synthweb,
      https: values.https ?? false,
      rounds,
      hosts,
      pages,
      delay,
      whole: values.whole ?? false,
      running: count('running', 5000),
      stored: count('stored', 10_000),
      given,
    },
  };
}

/** An option or argument that is ignored would pass for one that changed what was measured. */
function refuseOthers(claim: Claim, given: ReadonlySet<ClaimOption>, words: readonly string[]): void {
  const { name, options = [], maxWords = 0 } = claim;
  const listed = options.length === 0 ? 'no options' : options.map((option) => `--${option}`).join(', ');
  for (const option of given)
    if (!options.includes(option)) throw new Error(`${name} takes no --${option}: it takes ${listed}`);
  if (words.length > maxWords)
    throw new Error(`${name} takes at most ${maxWords} arguments after its name, got ${words.join(' ')}`);
}

/** The arguments for one claim of several: without the options that it does not take. */
export function argsFor({ options = [] }: Claim, command: BenchCommand): string[] {
  const { json, save } = command;
  const values = CLAIM_OPTIONS.filter(
    (option) => command.options.given.has(option) && options.includes(option),
  );
  return [
    ...(json ? ['--json'] : []),
    ...(save ? ['--save'] : []),
    ...values.flatMap((option) => {
      const value = command.options[option];
      return value === true ? [`--${option}`] : [`--${option}`, String(value)];
    }),
  ];
}
