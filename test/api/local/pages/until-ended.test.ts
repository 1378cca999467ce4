import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { UntilEnded } from '../../../../api/local/pages/until-ended.ts';

test('work settles as it does without an end', async () => {
  const over = new UntilEnded();
  expect(await over.settled(Promise.resolve('page'))).toBe('page');
  await expect(over.settled(Promise.reject(new Error('refused')))).rejects.toThrow('refused');
});

test('the end rejects work in progress and work that comes later, by its first reason', async () => {
  const over = new UntilEnded();
  const inProgress = over.settled(new Promise(() => {}));
  over.end(new Error('closed'));
  over.end(new Error('closed again'));
  await expect(inProgress).rejects.toThrow('closed');
  await expect(over.settled(Promise.resolve('page'))).rejects.toThrow(/^closed$/);
  await expect(over.settled(Promise.reject(new Error('refused')))).rejects.toThrow(/^closed$/);
});

test('the result of work is not kept', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const over = new UntilEnded();
  const get = async () => new WeakRef(await over.settled(Promise.resolve({ page: 1 })));
  const page = await get();
  await setImmediate();
  collect();
  expect(page.deref()).toBeUndefined();
  over.end(new Error('closed'));
});
