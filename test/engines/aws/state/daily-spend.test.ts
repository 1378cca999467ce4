import { expect, test } from 'vitest';
import {
  createSpendCounter,
  nextDayAt,
  spentToday,
} from '../../../../shared/engines/aws/state/daily-spend.ts';
import { createSimCloud } from '../../../../simulation/models/cloud.ts';
import { drive } from '../../../../simulation/models/virtual-time.ts';

const DAY = 86_400_000;

/** A process that uses what `costs` names, one after the other. */
function setUp(costs: number[], maxCostPerDay = 10) {
  const cloud = createSimCloud({ seed: 1 });
  const process = cloud.begin('worker');
  const { clock } = process;
  const client = cloud.clientsOf(process).dynamo;
  const fails = { writes: false };
  const dynamo = {
    send(command: { constructor: { name: string } }) {
      if (fails.writes && command.constructor.name === 'UpdateItemCommand') throw new Error('no table');
      return client.send(command as never);
    },
  } as unknown as typeof client;
  const context = { dynamo, clock, table: cloud.settings.crawlState };
  const warned: string[] = [];
  const takeCost = () => costs.shift() ?? 0;
  const open = () =>
    createSpendCounter({ ...context, maxCostPerDay, takeCost, warn: (text) => warned.push(text) });
  return { clock, context, fails, warned, open, run: <T>(work: Promise<T>) => drive(cloud.time, work) };
}

test('the processes of a stack add up what they use, and each day begins with nothing', async () => {
  const { open, context, clock, run } = setUp([1, 2, 3, 4]);
  await run(
    (async () => {
      expect(await spentToday(context)).toBe(0);
      const [worker, router] = [open(), open()];
      await worker();
      await router();
      await worker();
      expect(await spentToday(context)).toBe(6);
      await clock.sleep(nextDayAt(clock.now()) - clock.now());
      expect(await spentToday(context)).toBe(0);
      await worker();
      expect(await spentToday(context)).toBe(4);
    })(),
  );
});

test('what is not worth a write waits for more', async () => {
  const { open, context, run } = setUp([0.0001, 0.00009, 0.00002]);
  await run(
    (async () => {
      const note = open();
      await note();
      await note();
      expect(await spentToday(context)).toBe(0);
      await note();
      expect(await spentToday(context)).toBeCloseTo(0.00021, 10);
    })(),
  );
});

test('a small limit is counted in a thousand steps', async () => {
  const { open, context, run } = setUp([0.00001], 0.01);
  await run(open()().then(async () => expect(await spentToday(context)).toBeCloseTo(0.00001, 10)));
});

test('what cannot be stored is said, and stored with what follows', async () => {
  const { open, context, fails, warned, run } = setUp([1, 2]);
  await run(
    (async () => {
      const note = open();
      fails.writes = true;
      await note();
      expect(warned).toEqual(['the cost of the day is behind: no table']);
      fails.writes = false;
      await note();
      expect(await spentToday(context)).toBe(3);
    })(),
  );
});

test('the next day begins at midnight UTC', () => {
  expect(nextDayAt(Date.UTC(2026, 10, 29, 23, 59, 59, 999))).toBe(Date.UTC(2026, 10, 30));
  expect(nextDayAt(Date.UTC(2026, 10, 29))).toBe(Date.UTC(2026, 10, 29) + DAY);
});
