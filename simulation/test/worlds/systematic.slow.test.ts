/** One turn and one routing, struck at each of their calls: before and after it, in each way. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Outcome, WorldSpec } from '../../worlds/spec.ts';
import { struckWorlds } from '../../worlds/systematic.ts';

const PROGRAM = fileURLToPath(new URL('../../command/simulate.ts', import.meta.url));
const LIMIT_MS = 600_000;

test('the longest invocation of each function is struck at each of its calls', async () => {
  const calls = { 'worker/1': 'cc', 'worker/2': 'crc', 'router/1': 'c', 'waker/1': 'cccc' };
  const run = async (spec: WorldSpec) => ({ spec, calls }) as unknown as Outcome;
  const worlds = await struckWorlds({ seed: 5, faults: [] }, run, ['worker', 'router']);
  const struck = worlds.map(({ seed, strike }) => {
    expect(seed).toBe(5);
    return `${strike?.actor}/${strike?.invocation}/${strike?.call}`;
  });
  expect(
    Object.fromEntries(
      Map.groupBy(struck, (one) => one)
        .entries()
        .map(([one, all]) => [one, all.length]),
    ),
  ).toEqual({
    'worker/2/1': 6,
    // A request is struck only after it, and does not fail so.
    'worker/2/2': 2,
    'worker/2/3': 6,
    'router/1/1': 6,
  });
});

test(
  'whatever strikes a turn or a routing of a small world at any of its calls, every invariant holds',
  async () => {
    const { seeds, strikes, broken } = await systematic('worker,router', '--seed', '30', '--pages', '3');
    expect(broken).toEqual([]);
    expect(seeds).toBeGreaterThan(300);
    expect(strikes.callStruck).toBe(seeds);
  },
  LIMIT_MS,
);

async function systematic(actors: string, ...args: string[]) {
  const words = [
    '--systematic',
    actors,
    '--hosts',
    '2',
    '--faults',
    'none',
    '--quiet',
    '--json',
    '--no-shrink',
    // A second process would take 8 s of CPU until its code is compiled; a world takes 0.1 s.
    '--jobs',
    '1',
  ];
  const child = spawn(process.execPath, [PROGRAM, ...words, ...args], { timeout: LIMIT_MS });
  let text = '';
  for await (const piece of child.stdout.setEncoding('utf8')) text += piece;
  return JSON.parse(text);
}
