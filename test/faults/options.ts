/** The words of `npm run faults`, read. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { UsageError } from '../../cli/usage-error.ts';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { KIND_NAMES, KINDS, type KindName } from './kinds.ts';
import { SCENARIO_NAMES, type ScenarioName, scenarioOf } from './scenarios.ts';
import { readWorld } from './strikes.ts';
import type { WorldSpec } from './world.ts';

export type FaultsOptions =
  | { readonly verb: 'help' }
  | { readonly verb: 'replay'; readonly spec: WorldSpec; readonly keep?: string }
  | {
      readonly verb: 'run';
      readonly kinds: readonly KindName[];
      readonly scenarios: readonly ScenarioName[];
      readonly points: number;
      readonly seed: number;
      readonly jobs: number;
      readonly keep?: string;
    };

const DEFAULT_POINTS = 200;

export const HELP = `Crawls small webs with the real program while the disk, the clock or the process fails, continues by
\`strand resume\`, and judges what is left by the web's own log and truth.

Usage: npm run faults -- [OPTIONS]

  --points N         worlds of each kind of fault; default ${DEFAULT_POINTS}
  --kinds LIST       ${KIND_NAMES.join(', ')}; default: all
  --scenarios LIST   ${SCENARIO_NAMES.join(', ')}; default: all
  --seed N           chooses the calls that are struck; default 1
  --jobs N           worlds side by side; default: one more than there are cores
  --keep DIR         keeps the folders of broken worlds there
  --replay WORLD     plays one world again, as it was printed

Kinds of faults:
${Object.entries(KINDS)
  .map(([name, { what }]) => `  ${name.padEnd(18)} ${what}`)
  .join('\n')}

Scenarios:
${SCENARIO_NAMES.map((name) => `  ${name.padEnd(18)} ${scenarioOf(name).what}`).join('\n')}

Exit codes: 0 all held, 1 a world is broken, 2 it could not run, 130 interrupted.
`;

/** Throws {@link UsageError}. */
export function readOptions(args: readonly string[]): FaultsOptions {
  const { values } = parse(args);
  const { keep } = values;
  if (values.help) return { verb: 'help' };
  if (values.replay !== undefined) return { verb: 'replay', spec: readWorld(values.replay), keep };
  return {
    verb: 'run',
    kinds: listOf('kinds', values.kinds, KIND_NAMES),
    scenarios: listOf('scenarios', values.scenarios, SCENARIO_NAMES),
    points: countOf('points', values.points, DEFAULT_POINTS),
    seed: countOf('seed', values.seed, 1),
    jobs: countOf('jobs', values.jobs, availableParallelism() + 1),
    keep,
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...{ points: text, kinds: text, scenarios: text, seed: text, jobs: text, keep: text, replay: text },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function listOf<T extends string>(name: string, text: string | undefined, known: readonly T[]): readonly T[] {
  if (text === undefined) return known;
  return text.split(',').map((word) => {
    const found = known.find((one) => one === word);
    if (found === undefined)
      throw new UsageError(`Expected --${name} to be of ${known.join(', ')}, got ${word}`);
    return found;
  });
}

function countOf(name: string, text: string | undefined, preset: number): number {
  if (text === undefined) return preset;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new UsageError(`Expected --${name} to be a whole number from 1 on, got ${text}`);
  return count;
}
