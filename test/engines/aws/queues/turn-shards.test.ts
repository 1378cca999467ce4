import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HostDeliveries, TurnQueue } from '../../../../shared/crawler/ports/turn-queue.ts';
import { createShardedTurnQueue, turnShardOf } from '../../../../shared/engines/aws/queues/turn-shards.ts';
import { token } from '../../../contract/subjects.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';

/**
 * Queues in memory that keep what they are asked; a receive that finds nothing takes the whole time it may
 * wait.
 */
function openShards(count: number, bound?: number) {
  const clock = createFakeClock();
  const calls: [shard: number, name: string, ...args: unknown[]][] = [];
  const waiting: HostDeliveries[][] = Array.from({ length: count }, () => []);
  const failing = new Set<number>();
  const queues = waiting.map(
    (messages, shard): TurnQueue => ({
      async send(sent) {
        calls.push([shard, 'send', ...sent.map(({ host }) => host)]);
      },
      async receive(maxHosts, waitMs, signal) {
        calls.push([shard, 'receive', maxHosts, waitMs]);
        if (failing.has(shard)) throw new Error(`shard ${shard} is down`);
        const until = clock.now() + waitMs;
        while (messages.length === 0 && clock.now() < until && !signal?.aborted)
          await clock.sleep(100, signal);
        return messages.splice(0, maxHosts);
      },
      async acknowledge({ host }) {
        calls.push([shard, 'acknowledge', host]);
      },
      async hold() {},
      async park({ host }, ms) {
        calls.push([shard, 'park', host, ms]);
      },
    }),
  );
  const receiveFrom = bound === undefined ? undefined : queues[bound];
  const queue = createShardedTurnQueue(queues, { clock, receiveFrom });
  const received = (host: string): HostDeliveries => ({ host, deliveries: [], leaseUntil: 0 });
  const add = (shard: number, ...hosts: string[]) => waiting[shard]!.push(...hosts.map(received));
  const receives = () =>
    calls.filter(([, name]) => name === 'receive').map(([shard, , ...args]) => [shard, ...args]);
  const receive = async (...args: Parameters<TurnQueue['receive']>) =>
    (await clock.drive(queue.receive(...args)))!;
  return { clock, queue, calls, add, failing, receives, receive };
}

const hostsOf = (groups: readonly HostDeliveries[]) => groups.map(({ host }) => host);

describe('the shard of a host', () => {
  test('is one of them, and always the same', () => {
    fc.assert(
      fc.property(fc.domain(), fc.integer({ min: 1, max: 20 }), (host, shards) => {
        const shard = turnShardOf(host, shards);
        expect(shard).toBe(turnShardOf(host, shards));
        expect(shard).toBeGreaterThanOrEqual(0);
        expect(shard).toBeLessThan(shards);
      }),
    );
  });

  test('is what it was in earlier versions', () => {
    expect(['a.test', 'b.test', '[::1]:8080'].map((host) => turnShardOf(host, 1000))).toEqual([
      590, 882, 638,
    ]);
  });

  test('spreads hosts evenly', () => {
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 4000; i++) counts[turnShardOf(`host-${i}.test`, 4)]!++;
    for (const count of counts) expect(count).toBeGreaterThan(850);
  });
});

test('sends each message to its host’s queue, in order', async () => {
  const { queue, calls } = openShards(3);
  const hosts = Array.from({ length: 20 }, (_, i) => `h${i}.test`);
  await queue.send([...hosts, ...hosts].map((host) => ({ host, message: token('1') })));
  expect(calls.flatMap(([, , ...sent]) => sent).length).toBe(40);
  for (const [shard, , ...sent] of calls) {
    const own = hosts.filter((host) => turnShardOf(host, 3) === shard);
    expect(sent).toEqual([...own, ...own]);
  }
});

test('a send is over when each queue has got its messages, and fails if one could not take them', async () => {
  const left = [0, 1].map(() => Promise.withResolvers<void>());
  const taken: number[] = [];
  const queues = left.map(({ promise }, shard) => ({
    async send() {
      await promise;
      taken.push(shard);
    },
  }));
  const queue = createShardedTurnQueue(queues as never, { clock: createFakeClock() });
  const hosts = ['a.test', 'b.test', 'c.test', 'd.test'];
  expect(new Set(hosts.map((host) => turnShardOf(host, 2))).size).toBe(2);
  const send = () => queue.send(hosts.map((host) => ({ host, message: token('1') })));
  let isOver = false;
  const sent = send().then(() => {
    isOver = true;
  });
  left[1]!.resolve();
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
  expect([taken, isOver]).toEqual([[1], false]);
  left[0]!.resolve();
  await sent;
  expect(taken).toEqual([1, 0]);
  queues[0]!.send = () => Promise.reject(new Error('shard 0 is down'));
  await expect(send()).rejects.toThrow('shard 0 is down');
});

test('receives from all queues, beginning with another each time, never more hosts than requested', async () => {
  const { add, receive, receives } = openShards(3);
  for (const shard of [0, 1, 2]) add(shard, ...'abcd'.split('').map((name) => `${name}${shard}`));
  expect(hostsOf(await receive(6, 0))).toEqual(['a0', 'b0', 'c0', 'd0', 'a1', 'b1']);
  expect(hostsOf(await receive(6, 5000))).toEqual(['c1', 'd1', 'a2', 'b2', 'c2', 'd2']);
  expect(receives()).toEqual([
    [0, 6, 0],
    [1, 2, 0],
    [1, 6, 0],
    [2, 4, 0],
  ]);
});

test('waits for each queue in turn while nothing comes, and not longer than it may', async () => {
  const { clock, receive, receives } = openShards(3);
  const before = clock.now();
  expect(await receive(5, 2500)).toEqual([]);
  expect(clock.now() - before).toBe(2500);
  expect(receives()).toEqual([
    [0, 5, 0],
    [1, 5, 0],
    [2, 5, 1000],
    [0, 5, 1000],
    [1, 5, 500],
  ]);
});

test('asks no queue to wait for less than no time, if the others took longer than it may wait', async () => {
  const clock = createFakeClock();
  const waits: number[] = [];
  const queues = [0, 1, 2].map(() => ({
    async receive(_maxHosts: number, waitMs: number) {
      waits.push(waitMs);
      await clock.sleep(700);
      return [];
    },
  }));
  const queue = createShardedTurnQueue(queues as never, { clock });
  expect(await clock.drive(queue.receive(5, 1000))).toEqual([]);
  expect(waits).toEqual([0, 0, 0]);
});

test('a message during the wait ends it, in any queue', async () => {
  const { clock, queue, add } = openShards(4);
  const receiving = queue.receive(5, 20_000);
  await clock.advance(1500);
  add(3, 'a');
  const before = clock.now();
  expect(hostsOf((await clock.drive(receiving))!)).toEqual(['a']);
  expect(clock.now() - before).toBeLessThanOrEqual(4000);
});

test('an aborted signal ends a wait', async () => {
  const { clock, queue } = openShards(2);
  const stopping = new AbortController();
  const receiving = queue.receive(5, 20_000, stopping.signal);
  await clock.advance(1500);
  const before = clock.now();
  stopping.abort();
  expect(await clock.drive(receiving)).toEqual([]);
  expect(clock.now()).toBe(before);
});

test('gives what it holds when another queue fails', async () => {
  const { queue, add, failing } = openShards(2);
  failing.add(1);
  add(0, 'a');
  expect(hostsOf(await queue.receive(5, 0))).toEqual(['a']);
  await expect(queue.receive(5, 0)).rejects.toThrow('shard 1 is down');
});

test('acknowledges and parks where the host was received, whatever its name says', async () => {
  const { queue, calls, add } = openShards(2);
  const host = ['a.test', 'b.test', 'c.test', 'd.test'].find((name) => turnShardOf(name, 2) === 0)!;
  add(1, host);
  const [received] = await queue.receive(5, 0);
  calls.length = 0;
  await queue.acknowledge(received!, []);
  await queue.park(received!, 100);
  await queue.park({ ...received! }, 100);
  expect(calls).toEqual([
    [1, 'acknowledge', host],
    [1, 'park', host, 100],
  ]);
});

test('bound to one queue it receives from that alone, and still sends to all', async () => {
  const { queue, calls, add } = openShards(3, 2);
  add(0, 'a');
  add(2, 'b');
  const received = await queue.receive(5, 0);
  expect(hostsOf(received)).toEqual(['b']);
  expect(await queue.receive(5, 0)).toEqual([]);
  await queue.park(received[0]!, 7);
  expect(calls.at(-1)).toEqual([2, 'park', 'b', 7]);
  const hosts = Array.from({ length: 20 }, (_, i) => `h${i}.test`);
  await queue.send(hosts.map((host) => ({ host, message: token('1') })));
  expect(new Set(calls.filter(([, name]) => name === 'send').map(([shard]) => shard)).size).toBe(3);
});
