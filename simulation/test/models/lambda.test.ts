import { expect, test } from 'vitest';
import { createFaults, type FaultName, NO_FAULTS } from '../../models/faults.ts';
import { createSimLambda, type SimHandler, type SimLambdaOptions } from '../../models/lambda.ts';
import { createProcess, type SimProcess } from '../../models/process.ts';
import { randomOf } from '../../models/random.ts';
import { createVirtualTime, drive } from '../../models/virtual-time.ts';

type Event = { readonly ms: number; readonly leavesMs?: number };

/** A function that sleeps as long as its event says, and a world for it. */
function world(
  options: Partial<SimLambdaOptions<Event, string>> = {},
  { skewMs = 0, names = [] as FaultName[] } = {},
) {
  const time = createVirtualTime(randomOf(1, 'ties'));
  const faults = names.length > 0 ? createFaults({ seed: 1, names }) : NO_FAULTS;
  const processes: SimProcess[] = [];
  const failures: string[] = [];
  /** The processes left running, at their end. */
  const left: number[] = [];
  const load = (process: SimProcess): SimHandler<Event, string> => {
    let invocations = 0;
    return async ({ ms, leavesMs }) => {
      if (leavesMs !== undefined) void process.clock.sleep(leavesMs).then(() => left.push(time.now()));
      await process.clock.sleep(ms);
      if (ms === 13) throw new Error('unlucky');
      return `${process.name} ${++invocations}`;
    };
  };
  const lambda = createSimLambda<Event, string>({
    name: 'f',
    time,
    faults,
    random: randomOf(1, 'f'),
    timeoutMs: 10_000,
    begin(name) {
      const process = createProcess({ name, time, random: randomOf(name), faults: NO_FAULTS, skewMs });
      processes.push(process);
      return process;
    },
    load,
    onFailure: ({ error }) => failures.push(error.message),
    ...options,
  });
  const invoke = (event: Event) => drive(time, lambda.invoke(event));
  return { time, lambda, processes, failures, left, invoke };
}

test('an environment keeps its state, and serves the next invocation without another start', async () => {
  const { invoke, lambda } = world();
  expect(await invoke({ ms: 5 })).toEqual({ status: 'done', result: 'f-1 1' });
  expect(await invoke({ ms: 5 })).toEqual({ status: 'done', result: 'f-1 2' });
  expect(lambda.counts).toMatchObject({ invocations: 2, coldStarts: 1, failures: 0, maxRunning: 1 });
  expect(lambda.idle).toBe(1);
});

test('invocations at the same time have an environment each; the one used last is used first', async () => {
  const { time, invoke, lambda } = world();
  const both = [lambda.invoke({ ms: 1000 }), lambda.invoke({ ms: 3000 })];
  expect(lambda.running).toBe(2);
  expect((await drive(time, Promise.all(both))).map((invoked) => invoked.status)).toEqual(['done', 'done']);
  expect(lambda.counts).toMatchObject({ coldStarts: 2, maxRunning: 2 });
  expect(await invoke({ ms: 1 })).toEqual({ status: 'done', result: 'f-2 2' });
});

test('what a handler left running freezes until the next invocation', async () => {
  const { time, invoke, left } = world();
  await invoke({ ms: 5, leavesMs: 50 });
  await time.advance(60_000);
  expect(left).toEqual([]);
  const thawedAt = time.now();
  await invoke({ ms: 100 });
  expect(left).toEqual([thawedAt]);
});

test('an environment that was idle for long, or is old, is ended', async () => {
  const { time, invoke, processes } = world();
  await invoke({ ms: 5 });
  await time.advance(601_000);
  expect(await invoke({ ms: 5 })).toEqual({ status: 'done', result: 'f-2 1' });
  expect(processes.map(({ isDead }) => isDead)).toEqual([true, false]);
  for (let minutes = 0; minutes < 130; minutes += 5) {
    await time.advance(300_000);
    await invoke({ ms: 5 });
  }
  expect(processes.map(({ isDead }) => isDead)).toEqual([true, true, false]);
});

test('at the time-out the invocation fails and the environment is killed', async () => {
  const { time, invoke, lambda, processes, failures } = world();
  const invoked = await invoke({ ms: 60_000 });
  expect(invoked).toMatchObject({ status: 'failed', error: { message: 'Task timed out after 10 seconds' } });
  expect(failures).toEqual(['Task timed out after 10 seconds']);
  expect(processes[0]?.isDead).toBe(true);
  expect(lambda.counts).toMatchObject({ timeouts: 1, failures: 1, deaths: 0 });
  await time.advance(60_000);
  expect(await invoke({ ms: 5 })).toEqual({ status: 'done', result: 'f-2 1' });
});

test('where processes stand still, one may continue for a moment long after its time-out, and serves nobody', async () => {
  const { time, invoke, lambda, processes } = world({}, { names: ['workerFrozen'] });
  for (let i = 0; i < 10; i++) expect((await invoke({ ms: 60_000 })).status).toBe('failed');
  expect(lambda.idle).toBe(0);
  expect(processes.some(({ isDead }) => !isDead)).toBe(true);
  await time.advance(130_000);
  expect(processes.every(({ isDead }) => isDead)).toBe(true);
  expect(lambda.counts).toMatchObject({ timeouts: 10, failures: 10, deaths: 0, coldStarts: 10 });
});

test('the remaining time is by the world, whatever the clock of the process says', async () => {
  const remaining: number[] = [];
  const { invoke } = world(
    {
      load:
        ({ clock }) =>
        async (_, context) => {
          remaining.push(context.getRemainingTimeInMillis());
          await clock.sleep(4000);
          remaining.push(context.getRemainingTimeInMillis());
          return '';
        },
    },
    { skewMs: -5000 },
  );
  await invoke({ ms: 0 });
  expect(remaining).toEqual([10_000, 6000]);
});

test('the invocation of a process that is killed fails; what is thrown fails and keeps the environment', async () => {
  const { time, invoke, lambda, failures } = world();
  const invoking = lambda.invoke({ ms: 5000 });
  await time.advance(2000);
  expect(lambda.killOne('killed')).toBe(true);
  expect(await drive(time, invoking)).toMatchObject({ error: { message: 'Runtime exited: killed' } });
  expect(await invoke({ ms: 13 })).toMatchObject({ error: { message: 'unlucky' } });
  expect(await invoke({ ms: 5 })).toEqual({ status: 'done', result: 'f-2 1' });
  expect(failures).toEqual(['Runtime exited: killed', 'unlucky']);
  expect(lambda.counts).toMatchObject({ deaths: 1, failures: 2, coldStarts: 2 });
  expect(lambda.killOne('nobody runs')).toBe(false);
});

test('a start takes time, which is billed, and is not of the invocation', async () => {
  const { time, invoke, lambda } = world({ timeoutMs: 1000, coldStartMs: 900 });
  const began = time.now();
  expect(await invoke({ ms: 800 })).toMatchObject({ status: 'done' });
  const ms = time.now() - began;
  expect(ms).toBeGreaterThan(800 + 600);
  expect(lambda.counts.billedMs).toBe(ms);
});

test('a start that a fault strikes takes seconds', async () => {
  const { time, lambda } = world({}, { names: ['coldStart'] });
  const began = time.now();
  await drive(time, Promise.all(Array.from({ length: 50 }, () => lambda.invoke({ ms: 0 }))));
  expect(time.now() - began).toBeGreaterThan(2000);
  expect(time.now() - began).toBeLessThanOrEqual(10_000);
});

test('beyond the concurrency, nothing is begun', async () => {
  const { time, lambda } = world({ maxConcurrency: 2 });
  const all = [1, 2, 3].map(() => lambda.invoke({ ms: 100 }));
  expect((await drive(time, Promise.all(all))).map(({ status }) => status)).toEqual([
    'done',
    'done',
    'throttled',
  ]);
  expect(lambda.counts).toMatchObject({ invocations: 2, throttles: 1, maxRunning: 2 });
});

test('an environment whose module cannot be loaded fails the invocation', async () => {
  const { invoke, lambda, failures } = world({
    load: () => {
      throw new Error('no settings');
    },
  });
  expect(await invoke({ ms: 5 })).toMatchObject({ status: 'failed' });
  expect(failures).toEqual(['no settings']);
  expect(lambda.running).toBe(0);
});
