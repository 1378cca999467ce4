import { describe, expect, test } from 'vitest';
import type { HostDeliveries } from '../../../shared/crawler/ports/turn-queue.ts';
import { ApartHosts } from '../../../shared/crawler/worker/apart-hosts.ts';
import { createLanes } from '../../../shared/crawler/worker/lanes.ts';
import { crawlThrough, flatHost } from './deaths.ts';
import { createFakeClock } from './fake-clock.ts';
import { createMemoryEngine } from './memory-engine.ts';
import { begin, createWorld, statesOf } from './world.ts';

function open(answer: 'accepted' | 'refused' = 'accepted') {
  const clock = createFakeClock();
  const engine = createMemoryEngine(clock);
  const lanes = createLanes(clock, 10);
  const given: string[][] = [];
  const parked: string[] = [];
  engine.queue.park = async ({ host }) => void parked.push(host);
  const apart = new ApartHosts({ engine, lanes }, async (hosts) => {
    given.push(hosts.map(({ host }) => host));
    return answer;
  });
  const received = (host: string, receiveCount: number, caution?: 1 | 2, crawl = 'c'): HostDeliveries => {
    const message = { kind: 'token', crawl, token: host, ...(caution && { caution }) } as const;
    return { host, leaseUntil: clock.now() + 60_000, deliveries: [{ id: host, receiveCount, message }] };
  };
  const take = async (batch: readonly HostDeliveries[]) => {
    for (const one of batch) lanes.receives.note(one);
    return (await apart.take(batch)).map(({ host }) => host);
  };
  return { clock, lanes, given, parked, received, take };
}

describe('suspicious hosts', () => {
  test('are handed over by crawl, and those that have killed once more alone', async () => {
    const { given, received, take } = open();
    const batch = [
      received('a', 1),
      received('b', 1, 2),
      received('c', 3, undefined, 'other'),
      received('d', 2, 1),
      received('e', 2, 2),
    ];
    expect(await take(batch)).toEqual(['a']);
    expect(given).toEqual([['e'], ['b', 'd'], ['c']]);
  });

  test('go ten at a time, and wait while eight groups are away', async () => {
    const { clock, given, parked, received, take } = open();
    const hosts = Array.from({ length: 95 }, (_, i) => `h${i}`);
    expect(await take(hosts.map((host) => received(host, 3)))).toEqual([]);
    expect(given.map(({ length }) => length)).toEqual(Array(8).fill(10));
    expect(parked).toEqual(hosts.slice(80));
    // One of a group that comes back says that its process is done.
    await take([received('h3', 1, 2)]);
    await take([received('x', 3)]);
    expect([given.slice(8), parked.at(-1)]).toEqual([[['h3']], 'x']);
    await clock.advance(60_001);
    await take([received('y', 3)]);
    expect(given.at(-1)).toEqual(['y']);
  });

  test('are left to this process if they cannot be handed over', async () => {
    const { received, take } = open('refused');
    expect(await take([received('a', 1), received('b', 3)])).toEqual(['a', 'b']);
  });

  test('that come back have perhaps killed the other process', async () => {
    const { lanes, received, take } = open();
    await take([received('b', 3)]);
    await take([received('b', 4)]);
    expect(lanes.receives.of('b')).toBe(0);
  });
});

test('beside a crawl whose page kills, another crawl loses no more than the first two deaths', async () => {
  const LEASE_MS = 150_000;
  const site = { ...flatHost('http://bad.test', 40), ...flatHost('http://good.test', 200) };
  const world = createWorld(site, { leaseMs: LEASE_MS, parcelLeaseMs: 60_000, tookMs: 50 });
  const config = { scope: 'host', delayMs: 1000, trapAfterPages: 0, soft404: false } as const;
  await begin(world, ['http://bad.test/'], config, 'bad');
  await begin(world, ['http://good.test/'], config, 'good');
  const startedAt = world.clock.now();
  const crawls = ['bad', 'good'];
  const deaths = await crawlThrough(world, (url) => url === 'http://bad.test/9', { crawls, handsOver: true });
  expect(deaths).toBe(6);
  expect(Object.values(await statesOf(world.engine, 'good'))).toEqual(Array(200).fill('fetched'));
  const last = Math.max(
    ...world.fetcher.log.filter(({ url }) => url.includes('good')).map(({ endedAt }) => endedAt),
  );
  expect(last - startedAt).toBeLessThan(2 * LEASE_MS + 200 * 1050 + 60_000);
});
