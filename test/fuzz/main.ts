/** `npm run fuzz`: fuzzes the parsers and prints what was found. See docs/fuzzing.md. */
import { parseArgs } from 'node:util';
import { type FuzzOutcome, fuzzTarget } from './fuzz-target.ts';
import type { FuzzTarget } from './target.ts';
import { type ListedTarget, TARGETS } from './targets.ts';

const USAGE = `npm run fuzz -- [OPTIONS]     (docs/fuzzing.md)

  --list             print the names of the targets
  --target NAME      only this target; may be given several times
  --seconds N        for each target (30)
  --seed N           random without it
  --path A:B         the case that fast-check printed`;

const { values } = orUsage(() =>
  parseArgs({
    options: {
      seconds: { type: 'string', default: '30' },
      seed: { type: 'string' },
      path: { type: 'string' },
      target: { type: 'string', multiple: true },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }),
);

const HEADER = ['target', 'documents', 'MB', 'us/byte', 'limit', 'growth', 'held/byte', 'peak MB', 'seconds'];

function row({ name, maxUsPerByte }: FuzzTarget, outcome: FuzzOutcome): string[] {
  const { runs, bytes, worstUsPerByte, worstGrowth, worstHeldPerByte, peakBytes, seconds } = outcome;
  const figures = [worstUsPerByte.toFixed(2), String(maxUsPerByte), worstGrowth.toFixed(1)];
  return [
    ...[name, String(runs), (bytes / 1e6).toFixed(1), ...figures],
    ...[worstHeldPerByte.toFixed(0), (peakBytes / 1e6).toFixed(0), seconds.toFixed(1)],
  ];
}

const line = (cells: readonly string[]): string =>
  cells.map((cell, i) => (i === 0 ? cell.padEnd(30) : cell.padStart(10))).join('');

/**
 * Returns the result of `make`; if it throws, prints its message and the usage, and ends the process with 2.
 */
function orUsage<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** A whole number from 0. */
function numberOf(option: 'seconds' | 'seed', text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`--${option} takes a whole number, not "${text}"`);
  return Number(text);
}

function wanted(): readonly ListedTarget[] {
  const unknown = values.target?.find((name) => !TARGETS.some(({ target }) => target.name === name));
  if (unknown !== undefined) throw new Error(`There is no target "${unknown}"; --list names them`);
  return TARGETS.filter(({ target }) => values.target?.includes(target.name) ?? true);
}

async function main(): Promise<void> {
  if (values.list) return console.log(TARGETS.map(({ target }) => target.name).join('\n'));
  if (values.help) return console.log(USAGE);
  const { seed, seconds, targets } = orUsage(() => ({
    seed: numberOf('seed', values.seed ?? String(Math.floor(Math.random() * 2 ** 31))),
    seconds: numberOf('seconds', values.seconds),
    targets: wanted(),
  }));
  console.log(`seed ${seed}\n${line(HEADER)}`);
  for (const { target, module } of targets) {
    const task = { target: target.name, module, seed, path: values.path };
    const outcome = await fuzzTarget({ ...task, seconds: seconds * (target.share ?? 1) });
    console.log(line(row(target, outcome)));
    if (outcome.finding === undefined) continue;
    process.exitCode = 1;
    const path = outcome.path === undefined ? '' : ` --path ${outcome.path}`;
    const again = outcome.seed ?? seed;
    console.log(
      `\n${outcome.finding}\n\nAgain: npm run fuzz -- --target "${target.name}" --seed ${again}${path}\n`,
    );
  }
}

await main();
