import { describe, expect, test } from 'vitest';
import type { Message } from '../../../../shared/core/frontier/message.ts';
import type { HostDeliveries, TurnQueue } from '../../../../shared/crawler/ports/turn-queue.ts';
import { createFairTurnQueue } from '../../../../shared/engines/aws/queues/fair-turn-queue.ts';
import type { SqsTurnQueue } from '../../../../shared/engines/aws/queues/turn-queue.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';

interface Sent {
  readonly host: string;
  readonly message: Message;
  readonly waitedMs?: number;
  readonly receiveCount?: number;
  readonly isSentAgain?: boolean;
}

/** A queue in memory, in the order sent, without locks. */
function memoryQueue() {
  const messages: Sent[] = [];
  const calls: string[] = [];
  const waits: number[] = [];
  const failing = new Set<keyof SqsTurnQueue>();
  let ids = 0;
  const call = (name: keyof SqsTurnQueue) => {
    calls.push(name);
    if (failing.has(name)) throw new Error(`${name} fails`);
  };
  const queue: SqsTurnQueue = {
    async send(news) {
      call('send');
      messages.push(...news);
    },
    async receive(max, waitMs) {
      call('receive');
      waits.push(waitMs);
      return messages.splice(0, max).map(
        ({ host, message, waitedMs = 0, receiveCount = 1, isSentAgain = false }): HostDeliveries => ({
          host,
          deliveries: [{ id: String(ids++), message, receiveCount, waitedMs, isSentAgain }],
          leaseUntil: Number.MAX_SAFE_INTEGER,
        }),
      );
    },
    acknowledge: async () => call('acknowledge'),
    hold: async () => call('hold'),
    park: async () => call('park'),
    release: async () => call('release'),
  };
  return { queue, messages, calls, waits, failing };
}

const LATE_MS = 60_000;
const token = (crawl: string, i: number, more: Partial<Sent> = {}): Sent => ({
  host: `${crawl}${i}.test`,
  message: { kind: 'token', crawl, token: `t${i}` },
  waitedMs: LATE_MS,
  ...more,
});
const many = (crawl: string, count: number, more: Partial<Sent> = {}) =>
  Array.from({ length: count }, (_, i) => token(crawl, i, more));

function setUp() {
  const turns = memoryQueue();
  const backlog = memoryQueue();
  const clock = createFakeClock();
  const warnings: string[] = [];
  const queue = createFairTurnQueue({
    turns: turns.queue,
    again: turns.queue,
    backlog: backlog.queue,
    clock,
    warn: (text) => void warnings.push(text),
  });
  const hostsOf = (received: readonly HostDeliveries[], crawl: string) =>
    received.filter(({ deliveries }) => deliveries[0]?.message.crawl === crawl).length;
  return { turns, backlog, clock, queue, warnings, hostsOf };
}

describe('a crawl of many hosts that wait', () => {
  test('does not keep those of a small one waiting', async () => {
    const { turns, queue, hostsOf } = setUp();
    turns.messages.push(...many('broad', 250), ...many('small', 5));
    const received = await queue.receive(20, 0);
    expect(received).toHaveLength(20);
    expect(hostsOf(received, 'small')).toBe(5);
  });

  test('has all its hosts in one of the queues, or served', async () => {
    const { turns, backlog, queue } = setUp();
    turns.messages.push(...many('broad', 250), ...many('small', 5));
    const received = await queue.receive(20, 0);
    const all = [...turns.messages, ...backlog.messages, ...received].map(({ host }) => host);
    expect(new Set(all).size).toBe(255);
    expect(all).toHaveLength(255);
  });

  test('has its hosts moved in steps of some hundreds', async () => {
    const { turns, backlog, queue } = setUp();
    turns.messages.push(...many('broad', 2000));
    await queue.receive(10, 0);
    expect(backlog.messages.length).toBeGreaterThan(280);
    expect(backlog.messages.length).toBeLessThanOrEqual(310);
  });

  test('has all places of a worker when no other crawl needs them', async () => {
    const { turns, queue } = setUp();
    turns.messages.push(...many('broad', 250));
    for (let hosts = 0; hosts < 100; hosts += 20)
      expect(await queue.receive(20, 0), `with ${hosts} hosts`).toHaveLength(20);
  });

  test('is served in the order of the queue while that is not behind', async () => {
    const { turns, backlog, queue } = setUp();
    turns.messages.push(...many('broad', 50, { waitedMs: 9000 }), ...many('small', 5, { waitedMs: 9000 }));
    await queue.receive(20, 0);
    expect([turns.messages.length, backlog.messages.length]).toEqual([35, 0]);
  });

  test('comes back from the backlog some at a time, also while others fill the queue', async () => {
    const { turns, backlog, clock, queue, hostsOf } = setUp();
    turns.messages.push(...many('broad', 250));
    const first = await queue.receive(10, 0);
    for (const received of first) await queue.acknowledge(received, received.deliveries);
    let served = 0;
    for (let round = 0; round < 100; round++) {
      turns.messages.push(...many(`c${round % 20}`, 10, { waitedMs: 0 }));
      const received = await queue.receive(10, 0);
      served += hostsOf(received, 'broad');
      for (const one of received) await queue.acknowledge(one, one.deliveries);
      clock.set(2000);
    }
    expect(backlog.messages.length).toBeLessThan(240);
    expect(served).toBeGreaterThan(0);
  });
});

test('a crawl with four of a worker’s places is never one with more than its share', async () => {
  const { turns, backlog, queue, hostsOf } = setUp();
  for (let i = 0; i < 5; i++) turns.messages.push(...Array.from('abcd', (crawl) => token(crawl, i)));
  const received = await queue.receive(20, 0);
  expect(Array.from('abcd', (crawl) => hostsOf(received, crawl))).toEqual([5, 5, 5, 5]);
  expect(backlog.calls).not.toContain('send');
  turns.messages.push(token('a', 6), token('a', 7), token('e', 1));
  expect(await queue.receive(1, 0)).toHaveLength(1);
  expect(backlog.messages.map(({ host }) => host)).toEqual(['a6.test', 'a7.test']);
});

describe('the backlog', () => {
  test('has a fifth of all turns at least, though others fill the turn queue', async () => {
    const { turns, backlog, clock, queue, hostsOf } = setUp();
    turns.messages.push(...many('broad', 250));
    for (const received of await queue.receive(10, 0)) await queue.acknowledge(received, received.deliveries);
    const kept = backlog.messages.length;
    let served = 0;
    for (let round = 0; round < 50; round++) {
      for (let c = 0; c < 10; c++) turns.messages.push(token(`c${c}`, round));
      const waiting = turns.messages.map((one) => ({ ...one, waitedMs: 8000 }));
      turns.messages.splice(0, waiting.length, ...waiting);
      const received = await queue.receive(10, 0);
      served += received.length - hostsOf(received, 'broad');
      for (const one of received) await queue.acknowledge(one, one.deliveries);
      clock.set(100);
    }
    expect(kept - backlog.messages.length).toBeGreaterThanOrEqual(Math.floor(served / 4) - 10);
  });
});

describe('the stock of the turn queue', () => {
  /** The broad crawl has all places and 40 hosts in the backlog; then the turn queue has `stock` hosts that waited so long. */
  async function withStock(waitedMs: number, stock = 10) {
    const all = setUp();
    const { turns, backlog, queue } = all;
    turns.messages.push(...many('broad', 60));
    for (const received of await queue.receive(20, 0)) await queue.acknowledge(received, received.deliveries);
    backlog.messages.push(...turns.messages.splice(0));
    // As many as decide.
    turns.messages.push(...many('c', 16, { waitedMs }));
    await queue.receive(16, 0);
    backlog.messages.push(...turns.messages.splice(0));
    backlog.messages.push(...many('more', 100));
    turns.messages.push(...many('d', stock, { waitedMs }));
    const received = await queue.receive(10, 0);
    return { ...all, received, stock: turns.messages.length };
  }

  test.each([
    ['two hosts for each that is taken while they wait for less than 3 s', 2000, 20],
    ['one while they wait for less than 6 s', 4000, 10],
    ['none while they wait for longer', 7000, 0],
  ])('grows by %s', async (_, waitedMs, stock) => {
    expect(await withStock(waitedMs)).toMatchObject({ stock, received: { length: 10 } });
  });

  test('comes after what the worker has room for', async () => {
    const { received, stock } = await withStock(2000, 4);
    expect([received.length, stock]).toEqual([10, 8]);
  });
});

describe('the rest of a host after its turn', () => {
  async function served() {
    const all = setUp();
    all.turns.messages.push(...many('broad', 250), ...many('small', 1));
    const hosts = await all.queue.receive(20, 0);
    const of = (crawl: string) =>
      hosts.find(({ deliveries }) => deliveries[0]?.message.crawl === crawl) as HostDeliveries;
    return { ...all, broad: of('broad'), small: of('small') };
  }
  const next = ({ host, deliveries: [first] }: HostDeliveries): Sent => ({
    host,
    message: { kind: 'token', crawl: first?.message.crawl ?? '', token: 'next' },
  });

  test('begins no turn if its token is in the backlog: what is left is removed', async () => {
    const { queue, turns, broad } = await served();
    await queue.send([next(broad)]);
    await queue.park(broad, 5000, true);
    expect(turns.calls.slice(-1)).toEqual(['release']);
  });

  test.each<[string, (host: HostDeliveries, queue: TurnQueue) => Promise<void>]>([
    ['is unserved', (host, queue) => queue.park(host, 5000)],
    ['rests for longer than a minute', (host, queue) => queue.park(host, 60_001, true)],
  ])('comes back if what is left %s', async (_, park) => {
    const { queue, turns, broad } = await served();
    await queue.send([next(broad)]);
    await park(broad, queue);
    expect(turns.calls.slice(-1)).toEqual(['park']);
  });

  test('comes back if its token is in the turn queue', async () => {
    const { queue, turns, small } = await served();
    await queue.send([next(small)]);
    await queue.park(small, 5000, true);
    expect(turns.calls.slice(-1)).toEqual(['park']);
  });
});

describe('what is not moved', () => {
  test.each<[string, Partial<Sent>]>([
    ['a message that came back: it may have killed its worker', { receiveCount: 2 }],
    ['a message that comes from the backlog', { isSentAgain: true }],
    ['a request for robots.txt', { message: { kind: 'robots', crawl: 'broad', url: 'http://a.test/' } }],
  ])('%s', async (_, more) => {
    const { turns, backlog, queue } = setUp();
    turns.messages.push(...many('broad', 40), token('broad', 99, more), ...many('broad', 5));
    await queue.receive(10, 0);
    expect(backlog.messages.length).toBeGreaterThan(20);
    expect(backlog.messages.map(({ host }) => host)).not.toContain('broad99.test');
  });

  test('hosts that a crawl with less than its share asks, too', async () => {
    const { turns, backlog, queue } = setUp();
    const receive = turns.queue.receive;
    turns.queue.receive = async (...given) =>
      (await receive(...given)).map((one) =>
        one.host === 'broad30.test'
          ? {
              ...one,
              deliveries: [
                ...one.deliveries,
                { ...one.deliveries[0]!, id: 'x', message: { kind: 'token', crawl: 'small', token: 's' } },
              ],
            }
          : one,
      );
    turns.messages.push(...many('broad', 60));
    await queue.receive(10, 0);
    expect(backlog.messages.map(({ host }) => host)).toContain('broad29.test');
    expect(backlog.messages.map(({ host }) => host)).not.toContain('broad30.test');
  });
});

describe('tokens', () => {
  test('of a crawl with more than its share go to the backlog at once while that has hosts', async () => {
    const { turns, backlog, queue } = setUp();
    turns.messages.push(...many('broad', 250), ...many('small', 1));
    await queue.receive(20, 0);
    const before = [turns.messages.length, backlog.messages.length];
    await queue.send([token('broad', 1000), token('small', 1000)]);
    expect([turns.messages.length, backlog.messages.length]).toEqual([before[0]! + 1, before[1]! + 1]);
    expect(backlog.messages.at(-1)?.host).toBe('broad1000.test');
  });

  test('go to the turn queue while the backlog has none', async () => {
    const { turns, backlog, queue } = setUp();
    turns.messages.push(...many('broad', 20, { waitedMs: 0 }));
    await queue.receive(20, 0);
    await queue.send([token('broad', 1000)]);
    expect([turns.messages.length, backlog.messages.length]).toEqual([1, 0]);
  });
});

describe('what fails', () => {
  test('a move: the hosts are served', async () => {
    const { turns, backlog, queue, warnings } = setUp();
    backlog.failing.add('send');
    turns.messages.push(...many('broad', 40));
    expect(await queue.receive(20, 0)).toHaveLength(20);
    expect(warnings[0]).toContain('send fails');
  });

  test('the backlog: the turn queue is served alone', async () => {
    const { turns, backlog, queue, warnings } = setUp();
    backlog.failing.add('receive');
    turns.messages.push(...many('small', 2));
    expect(await queue.receive(20, 0)).toHaveLength(2);
    expect(warnings).toHaveLength(1);
  });

  test('the first receive: the worker knows', async () => {
    const { turns, queue } = setUp();
    turns.failing.add('receive');
    await expect(queue.receive(20, 0)).rejects.toThrow('receive fails');
  });
});

test('a worker with room asks an empty backlog every 30 s', async () => {
  const { backlog, clock, queue } = setUp();
  for (let second = 0; second < 90; second++) {
    await queue.receive(20, 0);
    clock.set(1000);
  }
  expect(backlog.calls).toEqual(['receive', 'receive', 'receive']);
});

test('an idle worker waits once in each receive', async () => {
  const { turns, backlog, queue } = setUp();
  await queue.receive(20, 1000);
  expect(turns.waits).toEqual([1000]);
  // The backlog was not empty when it was last seen.
  turns.messages.push(...many('broad', 40));
  for (const received of await queue.receive(20, 1000))
    await queue.acknowledge(received, received.deliveries);
  backlog.messages.length = 0;
  turns.messages.length = 0;
  turns.waits.length = 0;
  await queue.receive(20, 1000);
  expect(turns.waits).toEqual([0, 1000]);
});

test('hosts that were parked or acknowledged count no more', async () => {
  const { turns, backlog, queue } = setUp();
  for (let round = 0; round < 6; round++) {
    turns.messages.push(...many('only', 5));
    for (const received of await queue.receive(10, 0))
      await (round % 2 ? queue.park(received, 1000) : queue.acknowledge(received, received.deliveries));
  }
  expect(backlog.calls).not.toContain('send');
  turns.messages.push(...many('only', 6));
  await queue.receive(10, 0);
  await queue.send([]);
  turns.messages.push(...many('only', 6));
  await queue.receive(4, 0);
  expect(backlog.calls).toContain('send');
});
