/** The loop of a worker: which hosts it receives while suspicious ones are served, over a queue that a test fills. */
import { expect, test } from 'vitest';
import { StorageFailed } from '../../../shared/core/base/storage-failed.ts';
import type { HostDeliveries, TurnQueue } from '../../../shared/crawler/ports/turn-queue.ts';
import { startWorker, type WorkerOptions } from '../../../shared/crawler/worker/worker.ts';
import { createFakeClock, T0 } from './fake-clock.ts';
import { createMemoryEngine } from './memory-engine.ts';

/** A worker whose hosts are done when a test says so. Their crawl is not there, so their turns do nothing else. */
function open(options: Partial<WorkerOptions> = {}) {
  const clock = createFakeClock();
  const memory = createMemoryEngine(clock);
  const waiting: HostDeliveries[] = [];
  const served: string[] = [];
  const parked: string[] = [];
  const holds = new Map<string, PromiseWithResolvers<void>>();
  const broken = new Map<string, Error>();
  let receives = 0;
  let answerMs = 0;
  const fail = (name: string) => {
    const error = broken.get(name);
    if (error) throw error;
  };
  const queue: TurnQueue = {
    ...memory.queue,
    async receive(maxHosts, waitMs, signal) {
      receives++;
      if (waiting.length === 0) await clock.sleep(waitMs, signal);
      await clock.sleep(answerMs);
      fail('receive');
      return waiting.splice(0, maxHosts);
    },
    async acknowledge({ host }) {
      served.push(host);
      await holds.get(host)?.promise;
      fail(`acknowledge ${host}`);
    },
    async park({ host }) {
      fail(`park ${host}`);
      parked.push(host);
    },
    hold: async () => {},
  };
  const stopping = new AbortController();
  const worker = startWorker({ ...memory, queue }, () => ({}) as never, {
    maxHosts: 10,
    signal: stopping.signal,
    ...options,
  });
  let end: unknown = 'goes on';
  worker.done.then(
    () => {
      end = 'has ended';
    },
    (error: unknown) => {
      end = error;
    },
  );
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
    /** How the worker has ended, if it has: its error, if it has failed. */
    end: () => end,
    /** A receive’s answer takes that long, once it has something or its time is over. */
    delayAnswers(ms: number) {
      answerMs = ms;
    },
    /** `name`: `receive`, or `acknowledge` or `park` with a host. */
    breaks: (name: string, error: Error) => void broken.set(name, error),
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

test('hosts that a receive brings when no more are to be received are given back at once', async () => {
  const { clock, served, parked, receive, delayAnswers, end } = open({ receiveUntil: T0 + 5000 });
  receive('early');
  await clock.advance(4500);
  expect([served, parked]).toEqual([['early'], []]);
  delayAnswers(400);
  receive('late');
  await clock.advance(1500);
  expect([served, parked, end()]).toEqual([['early'], ['late'], 'has ended']);
});

test('a receive waits for hosts no longer than they may be received', async () => {
  const { clock, receives, end } = open({ receiveUntil: T0 + 2300 });
  await clock.advance(2299);
  expect([receives(), end()]).toEqual([3, 'goes on']);
  await clock.advance(1);
  expect(end()).toBe('has ended');
});

test.each(['receive', 'acknowledge', 'park'])(
  'if the storage fails at %s, the worker receives nothing more, and ends with that once its turns have',
  async (call) => {
    const { clock, receive, receives, hold, breaks, delayAnswers, end } = open({ receiveUntil: T0 + 5000 });
    const finish = hold('slow');
    receive('slow');
    const failure = new StorageFailed('the disk is full');
    await clock.advance(1100);
    breaks(call === 'receive' ? call : `${call} b`, failure);
    if (call === 'park') {
      await clock.advance(3000);
      delayAnswers(2000);
    }
    receive('b');
    await clock.advance(3000);
    const before = receives();
    await clock.advance(10_000);
    expect([receives(), end()]).toEqual([before, 'goes on']);
    finish();
    await clock.advance(0);
    expect(end()).toBe(failure);
  },
);

test('an idle worker ends when a receive has brought nothing, and not while a turn is in progress', async () => {
  const { clock, receive, hold, end } = open({ endsWhenIdle: true });
  const finish = hold('a');
  receive('a');
  await clock.advance(20_000);
  expect(end()).toBe('goes on');
  finish();
  await clock.advance(2000);
  expect(end()).toBe('has ended');
});

test('before an idle worker ends it calls beforeIdleEnd once, and receives what was sent until then', async () => {
  let calls = 0;
  const { clock, served, receive, receives, end } = open({
    endsWhenIdle: true,
    async beforeIdleEnd() {
      calls++;
      await clock.sleep(5000);
      if (calls === 1) receive('late');
    },
  });
  await clock.advance(5900);
  // It waits for the call, and receives nothing meanwhile.
  expect([calls, receives(), served]).toEqual([1, 1, []]);
  await clock.advance(1000);
  expect([served, end()]).toEqual([['late'], 'goes on']);
  // Something came, so it asks again before it ends.
  await clock.advance(20_000);
  expect([calls, served, end()]).toEqual([2, ['late'], 'has ended']);
});

test('a beforeIdleEnd that fails ends the worker with its error, and nothing more is received', async () => {
  const failure = new Error('the note could not be written');
  const { clock, receives, end } = open({
    endsWhenIdle: true,
    beforeIdleEnd: () => Promise.reject(failure),
  });
  await clock.advance(3000);
  expect([receives(), end()]).toEqual([1, failure]);
});
