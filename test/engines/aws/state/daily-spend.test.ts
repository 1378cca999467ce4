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
