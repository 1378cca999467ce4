import { expect, test } from 'vitest';
import { noteSpend, spentToday } from '../../../../shared/engines/aws/state/daily-spend.ts';
import { createSimCloud } from '../../../../simulation/models/cloud.ts';
import { drive } from '../../../../simulation/models/virtual-time.ts';

test('crawls count from their first look of the day to their last, and each day begins with nothing', async () => {
  const cloud = createSimCloud({ seed: 1 });
  const process = cloud.begin('waker');
  const { clock } = process;
  const context = { dynamo: cloud.clientsOf(process).dynamo, clock, table: cloud.settings.crawlState };
  const note = (costs: Record<string, number>) => noteSpend(context, new Map(Object.entries(costs)));
  await drive(
    cloud.time,
    (async () => {
      expect(await spentToday(context)).toBe(0);
      expect(await note({ old: 100, fresh: 0 })).toBe(0);
      expect(await note({ old: 101, fresh: 0.5 })).toBe(1.5);
      // One has ended.
      expect(await note({ fresh: 2 })).toBe(3);
      expect(await note({})).toBe(3);
      expect(await spentToday(context)).toBe(3);
      await clock.sleep(86_400_000);
      expect(await spentToday(context)).toBe(0);
      expect(await note({ fresh: 7 })).toBe(0);
      expect(await note({ fresh: 8 })).toBe(1);
    })(),
  );
});

test('a day that ends while its costs are noted leaves nothing to the next one', async () => {
  const cloud = createSimCloud({ seed: 1, latency: () => 10 });
  const process = cloud.begin('waker');
  const { clock } = process;
  const context = { dynamo: cloud.clientsOf(process).dynamo, clock, table: cloud.settings.crawlState };
  const note = (cost: number) => noteSpend(context, new Map([['c', cost]]));
  await drive(
    cloud.time,
    (async () => {
      await note(1);
      await note(5);
      // The costs are loaded before midnight, and stored after it.
      await clock.sleep(86_400_000 - (clock.now() % 86_400_000) - 5);
      expect(await note(6)).toBe(5);
      expect(await spentToday(context)).toBe(0);
      expect(await note(7)).toBe(0);
      expect(await note(8)).toBe(1);
    })(),
  );
});
