import { expect, test } from 'vitest';
import type { HostDeliveries } from '../../../shared/crawler/ports/turn-queue.ts';
import { newStats } from '../../../shared/crawler/turn/worker-stats.ts';
import { createLanes } from '../../../shared/crawler/worker/lanes.ts';
import { SuspectHosts } from '../../../shared/crawler/worker/suspect-hosts.ts';
import { createFakeClock } from './fake-clock.ts';
import { createMemoryEngine } from './memory-engine.ts';

function open({ leaseMs = 313_000 } = {}) {
  const clock = createFakeClock();
  const stats = newStats();
  const suspects = new SuspectHosts({
    engine: createMemoryEngine(clock),
    stats,
    lanes: createLanes(clock, 10),
  });
  const received = (host: string, ...counts: number[]): HostDeliveries => ({
    host,
    leaseUntil: clock.now() + leaseMs,
    deliveries: counts.map((receiveCount, i) => ({
      id: `${host} ${i}`,
      receiveCount,
      message: { kind: 'wake', crawl: 'c' },
    })),
  });
  return { clock, stats, suspects, received };
}
const NEVER = Number.POSITIVE_INFINITY;

test('a host is kept from the third receive of one of its messages on', () => {
  const { suspects, received } = open();
  expect(
    [received('a', 1), received('b', 2, 1), received('c', 1, 3)].map((one) => suspects.keep(one)),
  ).toEqual([false, false, true]);
  expect(suspects.size).toBe(1);
  expect(suspects.take().map(({ host }) => host)).toEqual(['c']);
  expect(suspects.size).toBe(0);
});

test('kept hosts wait until ordinary turns have ended', async () => {
  const { clock, stats, suspects, received } = open();
  stats.hostsActive = 5;
  suspects.keep(received('a', 3));
  expect(suspects.areDue).toBe(true);
  const ended = clock.sleep(3000);
  const startedAt = clock.now();
  const waiting = suspects.othersEnd(ended, NEVER);
  expect(stats.quarantineSince).toBe(startedAt);
  await clock.drive(waiting);
  expect(clock.now() - startedAt).toBe(3000);
  expect(stats.quarantineSince).toBe(startedAt);
  suspects.take();
  suspects.end();
  expect(stats.quarantineSince).toBeUndefined();
});

test.each([
  ['their leases', 32_000, NEVER, 8000],
  ['the time of the worker', 313_000, 5000, 5000],
  ['two minutes', 900_000, NEVER, 120_000],
])('they do not wait too long for %s', async (_, leaseMs, untilMs, expected) => {
  const { clock, suspects, received } = open({ leaseMs });
  suspects.keep(received('a', 3));
  const startedAt = clock.now();
  await clock.drive(suspects.othersEnd(new Promise(() => {}), startedAt + untilMs));
  expect(clock.now() - startedAt).toBe(expected);
});

test('ordinary hosts are served for 20 s between suspicious ones, unless there are none', async () => {
  const { clock, stats, suspects, received } = open();
  suspects.end();
  stats.hostsActive = 1;
  suspects.keep(received('a', 3));
  await clock.advance(19_000);
  suspects.keep(received('b', 3));
  expect(suspects.areDue).toBe(false);
  stats.hostsActive = 0;
  expect(suspects.areDue).toBe(true);
  stats.hostsActive = 1;
  await clock.advance(1000);
  expect(suspects.areDue).toBe(true);
});

test('with a short lease, a host is not kept for so long', async () => {
  const { clock, stats, suspects, received } = open({ leaseMs: 32_000 });
  suspects.end();
  stats.hostsActive = 1;
  suspects.keep(received('a', 3));
  await clock.advance(3900);
  expect(suspects.areDue).toBe(false);
  await clock.advance(100);
  expect(suspects.areDue).toBe(true);
});

test('the order is a random one: the host that kills the process is not always the first', () => {
  const { suspects, received } = open();
  const firsts = Array.from({ length: 50 }, () => {
    for (const host of ['a', 'b', 'c']) suspects.keep(received(host, 3));
    return suspects.take()[0]?.host;
  });
  expect(new Set(firsts)).toEqual(new Set(['a', 'b', 'c']));
});
