/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util';
import type { BenchOptions } from '../claims.ts';

export const USAGE = `npm run bench [-- NAME] [options]     one claim, or all that are short
npm run bench -- table [--write FILE] the table of the last records, or puts it between the markers of FILE

  --json            a record as one line of JSON instead of text
  --save            adds the record to bench/records.jsonl
  --rounds N        of what is compared: how often each is run, interleaved (default 3)
  --hosts N         of the generated web (default 50)
  --pages N         of each host (default 100)
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

/** Throws for words that are not understood, with one line for people. */
export function parseBenchArgs(args: readonly string[]): BenchCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
      write: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      hosts: { type: 'string', default: '50' },
      pages: { type: 'string', default: '100' },
      synthweb: { type: 'string' },
    },
  });
  const [name, ...words] = positionals;
  const count = (option: 'rounds' | 'hosts' | 'pages'): number => {
    const value = Number(values[option]);
    if (!Number.isSafeInteger(value) || value < 1)
      throw new Error(`Expected --${option} to be a whole number from 1 on, got ${values[option]}`);
    return value;
  };
  const { json, save, write, synthweb } = values;
  const options = { words, synthweb, rounds: count('rounds'), hosts: count('hosts'), pages: count('pages') };
  return { name, json, save, write, options };
}
