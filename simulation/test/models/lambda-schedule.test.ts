import { expect, test } from 'vitest';
import { createFaults, NO_FAULTS } from '../../models/faults.ts';
import { randomOf } from '../../models/random.ts';
import { createSimSchedule } from '../../models/schedule.ts';
import { createVirtualTime } from '../../models/virtual-time.ts';

const MINUTE = 60_000;

async function timesIn(minutes: number, hasFaults = false): Promise<number[]> {
  const time = createVirtualTime(randomOf(1, 'ties'));
  const faults = hasFaults ? createFaults({ seed: 3, names: ['messageTwice'] }) : NO_FAULTS;
  const times: number[] = [];
  const stop = createSimSchedule({
    time,
    faults,
    random: randomOf(1, 'rule'),
    periodMs: MINUTE,
    invoke: async () => times.push(time.now()),
  });
  await time.advance(minutes * MINUTE);
  stop();
  await time.advance(10 * MINUTE);
  return times;
}

test('a rule invokes once a period, at most a second late, until it is stopped', async () => {
  const times = await timesIn(100);
  expect(times.length).toBe(100);
  const gaps = times.slice(1).map((at, i) => at - (times[i] as number));
  for (const gap of gaps) expect(Math.abs(gap - MINUTE)).toBeLessThanOrEqual(1000);
  expect(new Set(gaps).size).toBeGreaterThan(1);
});

test('where messages come twice, so do the invocations of a rule now and then', async () => {
  const { length } = await timesIn(1000, true);
  expect(length).toBeGreaterThan(1005);
  expect(length).toBeLessThan(1200);
});
