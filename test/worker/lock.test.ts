import { expect, test } from 'vitest';
import { createLock } from '../../shared/worker/lock.ts';
import { createFakeClock, T0 } from './fake-clock.ts';

function open() {
  const clock = createFakeClock();
  return { clock, lock: createLock(clock) };
}

/** Returns the present state of a promise. */
async function stateOf<T>(promise: Promise<T>): Promise<T | 'waiting'> {
  await new Promise((resolve) => setImmediate(resolve));
  return Promise.race([promise, Promise.resolve('waiting' as const)]);
}

test('a lock is held by one at a time, in the order in which they came', async () => {
  const { lock } = open();
  const free = await lock(T0 + 1000);
  const second = lock(T0 + 1000);
  const third = lock(T0 + 1000);
  expect(await stateOf(second)).toBe('waiting');
  free?.();
  const freeSecond = await second;
  expect(freeSecond).toBeTypeOf('function');
  expect(await stateOf(third)).toBe('waiting');
  freeSecond?.();
  expect(await third).toBeTypeOf('function');
});

test('a lock that is free again is had at once', async () => {
  const { lock } = open();
  (await lock(T0))?.();
  expect(await lock(T0)).toBeTypeOf('function');
});

test('who frees the lock twice takes it from nobody', async () => {
  const { lock } = open();
  const free = await lock(T0 + 1000);
  const second = lock(T0 + 1000);
  free?.();
  await second;
  free?.();
  expect(await stateOf(lock(T0 + 1000))).toBe('waiting');
});

test('who has waited until the time goes without, and is not given the lock later', async () => {
  const { clock, lock } = open();
  const free = await lock(T0);
  const second = lock(T0 + 1000);
  const third = lock(T0 + 5000);
  await clock.advance(999);
  expect(await stateOf(second)).toBe('waiting');
  await clock.advance(1);
  expect(await second).toBeUndefined();
  expect(await stateOf(third)).toBe('waiting');
  free?.();
  expect(await third).toBeTypeOf('function');
  // The time of the third one does nothing any more.
  await clock.advance(10_000);
  expect(await stateOf(lock(clock.now() + 1))).toBe('waiting');
});
