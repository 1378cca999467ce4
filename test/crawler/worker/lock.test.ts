import { expect, test } from 'vitest';
import { createLock } from '../../../shared/crawler/worker/lock.ts';
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

test('a lock is held by one alone at a time, in the order in which they came', async () => {
  const { lock } = open();
  const free = await lock(T0 + 1000, true);
  const second = lock(T0 + 1000, true);
  const third = lock(T0 + 1000, true);
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
  (await lock(T0, true))?.();
  expect(await lock(T0, true)).toBeTypeOf('function');
});

test('who frees the lock twice takes it from nobody', async () => {
  const { lock } = open();
  const free = await lock(T0 + 1000, true);
  const second = lock(T0 + 1000, true);
  free?.();
  await second;
  free?.();
  expect(await stateOf(lock(T0 + 1000, true))).toBe('waiting');
});

test('who has waited until the time goes without, and is not given the lock later', async () => {
  const { clock, lock } = open();
  const free = await lock(T0, true);
  const second = lock(T0 + 1000, true);
  const third = lock(T0 + 5000, true);
  await clock.advance(999);
  expect(await stateOf(second)).toBe('waiting');
  await clock.advance(1);
  expect(await second).toBeUndefined();
  expect(await stateOf(third)).toBe('waiting');
  free?.();
  expect(await third).toBeTypeOf('function');
  // The time of the third one does nothing any more.
  await clock.advance(10_000);
  expect(await stateOf(lock(clock.now() + 1, true))).toBe('waiting');
});

test('several share the lock, one that wants it alone waits for all of them, and later ones wait for it', async () => {
  const { lock } = open();
  const [first, second] = [await lock(T0 + 1000, false), await lock(T0 + 1000, false)];
  const alone = lock(T0 + 1000, true);
  const later = lock(T0 + 1000, false);
  first?.();
  expect(await stateOf(alone)).toBe('waiting');
  second?.();
  const free = await alone;
  expect(await stateOf(later)).toBe('waiting');
  free?.();
  expect(await later).toBeTypeOf('function');
});
