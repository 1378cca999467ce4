import { expect, test } from 'vitest';
import { createSimEvents } from '../../models/events.ts';
import { createFaults, type FaultName, NO_FAULTS } from '../../models/faults.ts';
import type { Invoked } from '../../models/lambda.ts';
import { createProcess } from '../../models/process.ts';
import { randomOf } from '../../models/random.ts';
import { createVirtualTime, drive } from '../../models/virtual-time.ts';

const T0 = 1_000_000;

function setUp(
  names: readonly FaultName[] = [],
  answer: (times: number) => Invoked<unknown>['status'] = () => 'done',
) {
  const time = createVirtualTime(randomOf(1, 'ties'), T0);
  const faults =
    names.length === 0 ? NO_FAULTS : createFaults({ seed: 1, names, certain: names, isCalm: () => false });
  const process = createProcess({
    name: 'worker-1',
    time,
    faults: NO_FAULTS,
    uuid: () => 'u',
    random: randomOf(1, 'process'),
    skewMs: 0,
  });
  const invokedAt: number[] = [];
  const strayed: string[] = [];
  const events = createSimEvents<string>({
    time,
    faults,
    random: randomOf(1, 'events'),
    invoke: async () => ({ status: answer(invokedAt.push(time.now() - T0)) }) as Invoked<unknown>,
    onStray: (event) => strayed.push(event),
  });
  return { time, events, invokedAt, strayed, put: () => drive(time, events.put(process, 'event')) };
}

test('an event invokes the function once, within a second', async () => {
  const { time, put, invokedAt } = setUp();
  expect(await put()).toBe(true);
  await time.advance(600_000);
  expect(invokedAt).toHaveLength(1);
  expect(invokedAt[0]).toBeLessThan(1000);
});

test('a throttled invocation is tried again for a minute', async () => {
  const never = setUp([], () => 'throttled');
  expect(await never.put()).toBe(true);
  await never.time.advance(600_000);
  expect(never.invokedAt.at(-1)).toBeGreaterThan(50_000);
  expect(never.invokedAt.at(-1)).toBeLessThan(62_000);
  const third = setUp([], (times) => (times < 3 ? 'throttled' : 'done'));
  await third.put();
  await third.time.advance(600_000);
  expect(third.invokedAt).toHaveLength(3);
});

test.each<[FaultName, boolean, number]>([
  ['eventLost', true, 0],
  ['callFailsBefore', false, 0],
  ['callFailsAfter', false, 1],
  ['messageTwice', true, 2],
])('with %s the caller gets %s, and the function is invoked %d times', async (fault, accepted, times) => {
  const { time, put, invokedAt } = setUp([fault]);
  expect(await put()).toBe(accepted);
  await time.advance(600_000);
  expect(invokedAt).toHaveLength(times);
});

test.each<[FaultName | undefined, number]>([
  [undefined, 0],
  ['callFailsBefore', 0],
  ['eventLost', 1],
  ['messageLate', 1],
])('with %s, %d events stray', async (fault, count) => {
  const { time, put, strayed } = setUp(fault === undefined ? [] : [fault]);
  await put();
  await time.advance(600_000);
  expect(strayed).toHaveLength(count);
});

test('nothing is invoked any more once it has stopped', async () => {
  const { time, events, put, invokedAt } = setUp();
  await put();
  events.stop();
  await time.advance(600_000);
  expect(invokedAt).toEqual([]);
});
