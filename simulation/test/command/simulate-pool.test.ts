import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { watchCpu } from '../../command/cpu-watch.ts';
import { CannotRun, createPool, type PoolOptions, type WorldPool } from '../../command/pool.ts';
import { runSeeds } from '../../command/run-seeds.ts';
import type { Outcome } from '../../worlds/spec.ts';
import type { Ways } from './fake-worlds.ts';

const program = fileURLToPath(new URL('./fake-worlds.ts', import.meta.url));
const WAYS: Ways = { dies: 3, strays: 4, hangs: 5, throws: 6, breaks: 7 };
/** Worlds that hang are known here: nobody waits. */
const watch: PoolOptions['watch'] = ({ seed }, giveUp) => {
  if (seed === WAYS.hangs) giveUp();
  return () => {};
};

const pools: WorldPool[] = [];
function poolOf(options: Partial<PoolOptions> = {}): WorldPool {
  const pool = createPool({ program, args: [JSON.stringify(WAYS)], jobs: 2, watch, ...options });
  pools.push(pool);
  return pool;
}
afterEach(() => {
  for (const pool of pools.splice(0)) pool.close();
});

async function outcomesOf(pool: WorldPool, count: number, jobs = 2): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const spec = { seed: 1, faults: [] };
  await runSeeds({ spec, count, jobs }, pool.run, (outcome) => outcomes.push(outcome) > 0);
  return outcomes.sort((a, b) => a.spec.seed - b.spec.seed);
}

test('each seed has its outcome, also those at which a process died, hung or threw', async () => {
  const outcomes = await outcomesOf(poolOf(), 20);
  expect(outcomes.map(({ spec }) => spec.seed)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  const found = outcomes.flatMap(({ spec, violations }) =>
    violations.map(({ invariant, message }) => [spec.seed, invariant, message]),
  );
  expect(found).toEqual([
    [WAYS.dies, 'ends', 'The simulator died at this seed: exit code 9'],
    [
      WAYS.strays,
      'ends',
      expect.stringMatching(
        /^The simulator died at this seed: exit code 1: TypeError: nobody looks after this \| at /,
      ),
    ],
    [WAYS.hangs, 'ends', 'The simulator hung at this seed'],
    [
      WAYS.throws,
      'noCrash',
      expect.stringMatching(/^The simulation threw: RangeError: no such world \| at /),
    ],
    [WAYS.breaks, 'unhurried', 'too early'],
  ]);
});

test.runIf(process.platform === 'linux')(
  'a world hangs by the CPU time of its process, not by the clock',
  async () => {
    const pool = poolOf({ watch: watchCpu(200, 10), jobs: 1 });
    const outcome = await pool.run({ seed: WAYS.hangs, faults: [] });
    expect(outcome.violations[0]?.message).toBe('The simulator hung at this seed');

    const child = fork(program, [JSON.stringify(WAYS)], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    try {
      await once(child, 'message');
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
      let givenUp = 0;
      const stop = watchCpu()({ seed: 1, faults: [] }, () => givenUp++, child.pid);
      vi.advanceTimersByTime(86_400_000);
      stop();
      expect(givenUp).toBe(0);
    } finally {
      vi.useRealTimers();
      child.kill('SIGKILL');
    }
  },
);

test('a process that has run many worlds makes room for another', async () => {
  const outcomes = await outcomesOf(poolOf({ worldsEach: 1, jobs: 1 }), 3, 3);
  expect(outcomes.map(({ spec }) => spec.seed)).toEqual([1, 2, 3]);
});

test('processes that cannot start are not a finding: no seed gets a result', async () => {
  const pool = poolOf({ args: ['no JSON'] });
  const failure = await outcomesOf(pool, 20).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CannotRun);
  expect(String(failure)).toContain('SyntaxError: ');
});

test('when enough is known, no more worlds are begun, and those that run are waited for', async () => {
  const begun: number[] = [];
  const taken: number[] = [];
  const waits = new Map<number, PromiseWithResolvers<void>>();
  const run = async (spec: Outcome['spec']): Promise<Outcome> => {
    begun.push(spec.seed);
    const wait = Promise.withResolvers<void>();
    waits.set(spec.seed, wait);
    await wait.promise;
    return { spec } as Outcome;
  };
  const ended = runSeeds({ spec: { seed: 10, faults: [] }, count: 9, jobs: 3 }, run, ({ spec }) => {
    taken.push(spec.seed);
    return spec.seed !== 12;
  });
  expect(begun).toEqual([10, 11, 12]);
  for (const seed of [12, 10, 11]) waits.get(seed)?.resolve();
  await ended;
  expect(begun).toEqual([10, 11, 12]);
  expect(taken.sort()).toEqual([10, 11, 12]);
});

test('a pool that is closed while a world runs watches it no longer, which would keep the command from its end', async () => {
  const watched = Promise.withResolvers<void>();
  const ended: number[] = [];
  const pool = poolOf({
    jobs: 1,
    watch({ seed }) {
      watched.resolve();
      return () => void ended.push(seed);
    },
  });
  // Never answered.
  void pool.run({ seed: WAYS.hangs, faults: [] });
  await watched.promise;
  expect(ended).toEqual([]);
  pool.close();
  expect(ended).toEqual([WAYS.hangs]);
});
