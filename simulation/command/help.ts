/** The text of `npm run simulate -- --help`, made from the lists themselves. */
import { wrapWords } from '../../cli/format.ts';
import { FAULTS } from '../models/faults.ts';
import { INVARIANTS } from '../worlds/spec.ts';
import { OPTIONS, type OptionSpec } from './options.ts';

const WIDTH = 100;

const INTRODUCTION =
  'Runs the deployed code in simulated worlds: on models of SQS, DynamoDB, S3 and Lambda, on a generated web, on virtual ' +
  'time, and with faults. One seed decides everything in a world. After each world, its invariants are checked against ' +
  'logs that the crawler does not write. A world that breaks an invariant is made smaller; the result is a command that ' +
  'replays it.';

const EXAMPLES: readonly (readonly [command: string, what: string])[] = [
  ['--seeds 500', '500 worlds with all faults'],
  ['--budget 10m', 'seeds that failed before, then as many new seeds as fit into 10 minutes'],
  ['--seed 17 --replay', 'print the events of world 17'],
  ['--seeds 2000 --faults workerKilled,workerFrozen', 'with these faults only'],
  ['--systematic worker --seed 4 --faults none', 'one turn, with a fault at each of its calls'],
  ['--seeds 1e5 --quiet --json', 'many worlds, for a script'],
  ['coverage', 'which statements no world reaches (see: coverage --help)'],
  ['capacity', 'large worlds without faults: speed and cost (see: capacity --help)'],
];

export function helpText(): string {
  return `${[
    ...wrapWords(INTRODUCTION.split(' '), WIDTH),
    '',
    'Usage: npm run simulate -- [OPTIONS]',
    '       npm run simulate -- coverage|capacity [OPTIONS]',
    '',
    'Examples:',
    ...twoColumns(EXAMPLES.map(([command, what]) => [`npm run simulate -- ${command}`, what])),
    '',
    'Options:',
    ...twoColumns(OPTIONS.map((option) => [usageOf(option), option.help])),
    '',
    'Faults:',
    ...twoColumns(Object.entries(FAULTS).map(([name, { what }]) => [name, what])),
    '',
    'Invariants:',
    ...twoColumns(Object.entries(INVARIANTS)),
    '',
    'Exit codes: 0 every invariant held, 1 an invariant was broken, 2 could not run, 130 interrupted.',
  ].join('\n')}\n`;
}

const usageOf = ({ name, argument, isNegatable }: OptionSpec): string =>
  `--${isNegatable ? '[no-]' : ''}${name}${argument ? ` ${argument}` : ''}`;

function twoColumns(rows: readonly (readonly [string, string])[]): string[] {
  const left = Math.max(...rows.map(([name]) => name.length)) + 4;
  return rows.flatMap(([name, what]) =>
    // A long left column leaves the right one its place anyway.
    wrapWords(what.split(' '), Math.max(40, WIDTH - left)).map(
      (line, i) => (i === 0 ? `  ${name}` : '').padEnd(left) + line,
    ),
  );
}
