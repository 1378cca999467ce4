import { expect, test } from 'vitest';
import { randomOf } from '../../models/random.ts';
import { createVirtualTime, NoEnd, T0 } from '../../models/virtual-time.ts';

const timeOf = (steps: number, stepsAtOnce: number) =>
  createVirtualTime(randomOf(1, 'ties'), T0, { steps, stepsAtOnce });

test('what continues forever without time passing is found by its steps, and when', async () => {
  const time = timeOf(1e6, 1000);
  await time.advance(2500);
  const again = () => time.at(time.now(), again);
  again();
  await expect(time.advance(60_000)).rejects.toThrow(
    new NoEnd('Time stands still at T0+2.500 s: more than 1000 steps in one millisecond'),
  );
});

test('so is a loop that sleeps for no time, which lets nothing else happen', async () => {
  const time = timeOf(1e6, 1000);
  time.at(T0 + 100, async () => {
    for (;;) await time.sleep(0);
  });
  await expect(time.advance(60_000)).rejects.toThrow('Time stands still at T0+0.100 s');
});

test('so is what comes to no end while time passes, at the same step each time', async () => {
  const found = async () => {
    const time = timeOf(5000, 1000);
    const loop = async () => {
      for (;;) await time.sleep(7);
    };
    void loop();
    return time.advance(1e9).catch(({ message }: Error) => message);
  };
  expect(await found()).toBe('More than 5000 steps by T0+35.007 s');
  expect(await found()).toBe(await found());
});

test('what is within its limits continues', async () => {
  const time = timeOf(2000, 1000);
  let done = 0;
  for (let i = 0; i < 900; i++) time.at(T0 + 10, () => done++);
  for (let i = 0; i < 900; i++) time.at(T0 + 20, () => done++);
  await time.advance(100);
  expect(done).toBe(1800);
});
