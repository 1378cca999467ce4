/** What `npm run simulate -- --help` prints, made from the lists themselves. */
import { wrapWords } from '../../cli/format.ts';
import { FAULTS } from '../models/faults.ts';
import { INVARIANTS } from '../worlds/spec.ts';
import { OPTIONS, type OptionSpec } from './options.ts';

const WIDTH = 100;

const INTRODUCTION =
  'Runs the crawler in simulated worlds: the code that is deployed, over models of SQS, DynamoDB, S3 and Lambda and a ' +
  'web that is made up, on virtual time, while things go wrong. One seed decides everything that happens in a world. ' +
  'At its end, logs that the crawler does not write tell whether it has kept what it promises. A world that shows it has not is run ' +
  'again and again with less in it, and ends as one command that replays it.';

const EXAMPLES: readonly (readonly [command: string, what: string])[] = [
  ['--seeds 500', '500 worlds with all faults'],
  ['--budget 10m', 'what found something before, then as many new worlds as fit into 10 minutes'],
  ['--seed 17 --replay', 'what happened in world 17'],
  ['--seeds 2000 --faults workerKilled,workerFrozen', 'only with these faults'],
  ['--systematic worker --seed 4 --faults none', 'one turn, struck at each call'],
  ['--seeds 1e5 --quiet --json', 'many, for a script'],
  ['coverage', 'which code the worlds reach, and which none does (see: coverage --help)'],
  ['capacity', 'how a deployment holds at sizes that cannot be tried (see: capacity --help)'],
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
    'Exit codes: 0 every invariant held, 1 one was broken, 2 it could not run, 130 interrupted.',
  ].join('\n')}\n`;
}

const usageOf = ({ name, argument, isNegatable }: OptionSpec): string =>
  `--${isNegatable ? '[no-]' : ''}${name}${argument ? ` ${argument}` : ''}`;

function twoColumns(rows: readonly (readonly [string, string])[]): string[] {
  const left = Math.max(...rows.map(([name]) => name.length)) + 4;
  return rows.flatMap(([name, what]) =>
    // A long left column leaves the right one its place all the same.
    wrapWords(what.split(' '), Math.max(40, WIDTH - left)).map(
      (line, i) => (i === 0 ? `  ${name}` : '').padEnd(left) + line,
    ),
  );
}
