/** The loop of a worker: which hosts it receives while suspicious ones are served, over a queue that a test fills. */
import { expect, test } from 'vitest';
import type { HostDeliveries, TurnQueue } from '../../shared/ports/turn-queue.ts';
import { startWorker } from '../../shared/worker/worker.ts';
import { createFakeClock } from './fake-clock.ts';
import { createMemoryEngine } from './memory-engine.ts';

/** A worker whose hosts are done when a test says so. Their crawl is not there, so their turns do nothing else. */
function open({ endsWhenIdle = false } = {}) {
  const clock = createFakeClock();
  const memory = createMemoryEngine(clock);
  const waiting: HostDeliveries[] = [];
  const served: string[] = [];
  const parked: string[] = [];
  const holds = new Map<string, PromiseWithResolvers<void>>();
  let receives = 0;
  const queue: TurnQueue = {
    ...memory.queue,
    async receive(maxHosts, waitMs, signal) {
      receives++;
      if (waiting.length === 0) await clock.sleep(waitMs, signal);
      return waiting.splice(0, maxHosts);
    },
    async acknowledge({ host }) {
      served.push(host);
      await holds.get(host)?.promise;
    },
    park: async ({ host }) => void parked.push(host),
    hold: async () => {},
  };
  const stopping = new AbortController();
  const worker = startWorker({ ...memory, queue }, () => ({}) as never, {
    maxHosts: 10,
    signal: stopping.signal,
    endsWhenIdle,
  });
  const receive = (host: string, receiveCount = 1) => {
    const message = { kind: 'wake', crawl: 'none' } as const;
    waiting.push({
      host,
      leaseUntil: clock.now() + 313_000,
      deliveries: [{ id: host, receiveCount, message }],
    });
  };
  return {
    ...{ clock, worker, served, parked, receive, waiting },
    receives: () => receives,
    /** Its turn lasts until the result is called. */
    hold(host: string) {
      const held = Promise.withResolvers<void>();
      holds.set(host, held);
      return held.resolve;
    },
    async stop() {
      stopping.abort();
      await clock.drive(worker.done);
    },
  };
}

test('a worker that serves suspicious hosts receives no others until all of them are served', async () => {
  const { clock, served, receive, receives, hold, stop } = open();
  const [endA, endB] = [hold('a'), hold('b')];
  receive('a', 3);
  receive('b', 3);
  await clock.advance(1500);
  expect([...served].sort()).toEqual(['a', 'b']);
  receive('c');
  const before = receives();
  endA();
  await clock.advance(20_000);
  expect([served.includes('c'), receives()]).toEqual([false, before]);
  endB();
  await clock.advance(1500);
  expect(served.at(-1)).toBe('c');
  await stop();
});

test('suspicious hosts wait for the turns in progress, and ordinary ones for none', async () => {
  const { clock, served, receive, hold, stop } = open();
  const end = hold('a');
  receive('a');
  receive('b');
  await clock.advance(1500);
  expect([...served].sort()).toEqual(['a', 'b']);
  receive('c', 3);
  await clock.advance(10_000);
  expect(served).not.toContain('c');
  end();
  await clock.advance(1500);
  expect(served).toContain('c');
  await stop();
});

test('a worker that stops gives back the suspicious hosts that it has kept, and ends when its turns have', async () => {
  const { clock, worker, served, parked, receive, hold, stop } = open();
  const [endA, endB] = [hold('a'), hold('b')];
  receive('a');
  receive('b');
  await clock.advance(1500);
  let isOver = false;
  void worker.done.then(() => {
    isOver = true;
  });
  const stopped = stop();
  endA();
  await clock.advance(1000);
  expect(isOver).toBe(false);
  endB();
  await stopped;
  expect([isOver, [...served].sort(), parked]).toEqual([true, ['a', 'b'], []]);
});
