import { expect, test } from 'vitest';
import { UsageError } from '../../../cli/usage-error.ts';
import { replayCommand } from '../../command/command-line.ts';
import { helpText } from '../../command/help.ts';
import { OPTIONS, readCommand } from '../../command/options.ts';
import { FAULT_NAMES, FAULTS } from '../../models/faults.ts';
import { INVARIANTS, type WorldSpec } from '../../worlds/spec.ts';

test('without a word, a hundred worlds with all faults are run', () => {
  expect(readCommand([])).toMatchObject({
    verb: 'seeds',
    spec: { seed: 1, faults: FAULT_NAMES },
    count: 100,
    isShrunk: true,
    stopsAtFirst: false,
  });
});

test('a seed alone is one world; the first of many with --seeds', () => {
  expect(readCommand(['--seed', '17'])).toMatchObject({ spec: { seed: 17 }, count: 1 });
  expect(readCommand(['--seed=17', '--seeds', '1e5'])).toMatchObject({ spec: { seed: 17 }, count: 100_000 });
});

test('a replay runs one world, and shrinks only with --shrink', () => {
  expect(readCommand(['--seed', '3', '--replay', '--host', 'a.test'])).toMatchObject({
    verb: 'replay',
    spec: { seed: 3 },
    host: 'a.test',
    isShrunk: false,
  });
  expect(readCommand(['--replay', '--shrink'])).toMatchObject({ isShrunk: true });
  expect(readCommand(['--no-shrink'])).toMatchObject({ isShrunk: false });
});

test('faults are all, none or names, in the order of the list', () => {
  expect(readCommand(['--faults', 'none'])).toMatchObject({ spec: { faults: [] } });
  expect(readCommand(['--faults', 'workerKilled,dnsFails, workerKilled,callFailsBefore'])).toMatchObject({
    spec: { faults: ['callFailsBefore', 'workerKilled', 'dnsFails'] },
  });
});

test('what follows a verb is its own', () => {
  expect(readCommand(['capacity', '--hosts', '1e6'])).toEqual({ verb: 'capacity', args: ['--hosts', '1e6'] });
  expect(readCommand(['coverage', '--help'])).toEqual({ verb: 'coverage', args: ['--help'] });
});

test('help is requested anywhere', () => {
  expect(readCommand(['--seed', '1', '--help'])).toEqual({ verb: 'help' });
  expect(readCommand(['-h'])).toEqual({ verb: 'help' });
});

test.each([
  [['--seed', 'x'], 'Expected --seed with a whole number, 0 or more, got "x"'],
  [['--seed'], 'Expected --seed N, got no value'],
  [['--seed', '--replay'], 'Expected --seed N, got no value'],
  [['--seeds', '0'], 'Expected --seeds with a whole number, 1 or more, got "0"'],
  [['--seed', '9e15'], undefined],
  [['--seed', '9e17'], 'Expected --seed with a whole number, 0 or more, got "9e17"'],
  [['--hosts', '1.5'], 'Expected --hosts with a whole number, 1 or more, got "1.5"'],
  [['--quiet=yes'], '--quiet takes no value, got "yes"'],
  [['--sed', '4'], 'Unknown option "--sed"; did you mean --seed?'],
  [['--no-json'], 'Unknown option "--no-json"; all options: --help'],
  [['coverag'], 'Expected options, coverage or capacity first, got "coverag"; did you mean coverage?'],
  [['--replay', '--seeds', '4'], '--replay shows one world: give its --seed, and no --seeds 4'],
  [['--host', 'a.test'], '--host says what to show of one world: give --replay with it'],
])('%j is refused with what to do instead', (args, message) => {
  if (message === undefined) expect(() => readCommand(args)).not.toThrow();
  else expect(() => readCommand(args)).toThrow(new UsageError(message));
});

test('an unknown fault is reported with the nearest name and the list', () => {
  expect(() => readCommand(['--faults', 'workerKiled'])).toThrow(
    `got "workerKiled"; did you mean workerKilled? There are: ${FAULT_NAMES.join(', ')}`,
  );
});

test('the help names every option, fault and invariant with what it is', () => {
  const words = helpText().replace(/\s+/g, ' ');
  for (const { name, help } of OPTIONS) for (const part of [name, help]) expect(words).toContain(part);
  for (const [name, { what }] of Object.entries(FAULTS)) expect(words).toContain(`${name} ${what}`);
  for (const [name, what] of Object.entries(INVARIANTS)) expect(words).toContain(`${name} ${what}`);
  for (const line of helpText().split('\n')) expect(line.length).toBeLessThanOrEqual(110);
});

test.each<[WorldSpec, string]>([
  [{ seed: 17, faults: FAULT_NAMES }, '--seed 17 --faults all --replay'],
  [{ seed: 0, faults: [], hosts: 2 }, '--seed 0 --faults none --hosts 2 --replay'],
  [
    { seed: 17, faults: ['workerKilled'], hosts: 2, pages: 4, maxStrikes: 1 },
    '--seed 17 --faults workerKilled --hosts 2 --pages 4 --max-strikes 1 --replay',
  ],
])('the command that replays %j says it all: %s', (spec, words) => {
  const command = replayCommand(spec);
  expect(command).toBe(`npm run simulate -- ${words}`);
  expect(readCommand(words.split(' '))).toMatchObject({ verb: 'replay', spec });
});
