import { expect, test } from 'vitest';
import { createMemorySemaphore } from '../../../shared/services/hooks/memory-semaphore.ts';
import { handClock } from './made-page.ts';

/** Lets all that can continue continue. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a caller that finds no room waits for it, in the order of the calls', async () => {
  const room = createMemorySemaphore(10, { clock: handClock().clock, limitMs: 1000 });
  const entered: string[] = [];
  const enter = async (name: string, size: number) => {
    const leave = await room.enter(size);
    entered.push(name);
    return leave;
  };
  const [first, second] = [await enter('6', 6), await enter('4', 4)];
  const third = enter('5', 5);
  const fourth = enter('1', 1);
  await settled();
  expect(entered).toEqual(['6', '4']);
  second();
  await settled();
  expect(entered).toEqual(['6', '4']);
  first();
  await Promise.all([third, fourth]);
  expect(entered).toEqual(['6', '4', '5', '1']);
});

test('what is larger than all the room has it alone', async () => {
  const room = createMemorySemaphore(10, { clock: handClock().clock, limitMs: 1000 });
  const leave = await room.enter(100);
  let isIn = false;
  const next = room.enter(1).then(() => {
    isIn = true;
  });
  await settled();
  expect(isIn).toBe(false);
  leave();
  await next;
});

test('a caller that has waited too long gives up, and holds up no other', async () => {
  const { clock, pass } = handClock();
  const room = createMemorySemaphore(10, { clock, limitMs: 1000 });
  const leave = await room.enter(10);
  const late = room.enter(5);
  pass();
  await expect(late).rejects.toThrow(
    'No memory for a body of 5 bytes within 1000 ms: hooks for other pages use it',
  );
  const next = room.enter(10);
  leave();
  await next;
});
