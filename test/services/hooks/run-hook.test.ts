import { expect, test } from 'vitest';
import { runHook, stackOf } from '../../../shared/services/hooks/run-hook.ts';

const NEVER = { sleep: () => new Promise<void>(() => {}) };

test("the stack of a hook's error has the lines of its project alone", async () => {
  const failing = runHook(
    () => {
      throw new Error('no price');
    },
    { clock: NEVER, limitMs: 1000 },
  );
  const error = await failing.catch((thrown: Error) => thrown);
  expect((error as Error).stack).toMatch(/shared[/\\]services[/\\]hooks/);
  expect(stackOf(error)).toMatch(/run-hook\.test\.ts/);
  expect(stackOf(error)).not.toMatch(/shared[/\\]/);
});

test('a loop before the first await names the setting by which it was ended', async () => {
  const loops = () => {
    for (;;);
  };
  await expect(runHook(loops, { clock: NEVER, limitMs: 1000, syncLimitMs: 20 })).rejects.toThrow(
    'Took longer than 20 ms (before its first await: three quarters of blockTimeoutMs)',
  );
  await expect(runHook(loops, { clock: NEVER, limitMs: 20, syncLimitMs: 1000 })).rejects.toThrow(
    'Took longer than 20 ms (hookTimeoutMs)',
  );
});
