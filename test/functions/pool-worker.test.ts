import { describe, expect, test } from 'vitest';
import { PoolWorker } from '../../functions/pool-worker.ts';
import type { HostDeliveries, TurnQueue } from '../../shared/ports/turn-queue.ts';
import type { PoolMember } from '../../shared/worker/pool-plan.ts';
import { createFakeClock } from '../worker/fake-clock.ts';
import { createFakePool, type Started } from './fake-stack.ts';

/** A worker of turn queue 0 that has joined its pool. It receives for 100 s, and ends after 120 s. */
async function setUp({ hosts = 0 } = {}) {
  const clock = createFakeClock();
  const starts: Started[] = [];
  const logged: object[] = [];
  const pool = createFakePool(starts);
  const state: { hosts: number; places: number; waiting: number; quarantineSince?: number | undefined } = {
    hosts,
    places: 10,
    waiting: 0,
  };
  pool.waiting = async () => state.waiting;
  const worker = new PoolWorker({
    pool,
    queue: 0,
    clock,
    log: (_level, fields) => void logged.push(fields),
    placesFor: () => state.places,
    receiveUntil: clock.now() + 100_000,
    lastCallAt: clock.now() + 115_000,
  });
  expect(await worker.join(1)).toBe(true);
  const own = [...pool.all[0]!.keys()][0]!;
  worker.follow(() => ({ hostsActive: state.hosts, quarantineSince: state.quarantineSince }));
  const other = (id: string, hosts: number): PoolMember => ({ id, hosts, maxHosts: 10, isEnding: false });
  return { clock, starts, logged, pool, state, worker, own, other };
}

const NOW = { queue: 0, workers: 1, delayMs: 0 };

const silent: TurnQueue = {
  send: async () => {},
  receive: async () => [],
  acknowledge: async () => {},
  hold: async () => {},
  park: async () => {},
};

const received = (host: string, clock: { now(): number }): HostDeliveries => ({
  host,
  deliveries: [],
  leaseUntil: clock.now() + 60_000,
});

describe('a worker that ends', () => {
  test('because it is idle starts nobody: what comes later finds no worker in the pool', async () => {
    const { clock, pool, worker, starts, state } = await setUp();
    state.waiting = 5;
    await clock.advance(20_000);
    await worker.hide();
    await worker.leave();
    expect(starts).toEqual([]);
    expect(pool.all[0]!.size).toBe(0);
  });

  test('because its time is up starts a successor, though it has no host just now', async () => {
    const { clock, worker, starts } = await setUp();
    await clock.advance(101_000);
    await worker.leave();
    expect(starts).toContainEqual(NOW);
  });

  test('at the very moment at which its time is up does so too', async () => {
    const { clock, worker, starts } = await setUp({ hosts: 1 });
    await clock.advance(99_999);
    expect(starts).toEqual([]);
    clock.set(1);
    await worker.leave();
    expect(starts).toEqual([NOW]);
  });

  test('when its time is up, between what makes it idle and its last receive, starts one', async () => {
    const { clock, worker, starts } = await setUp();
    await clock.advance(99_000);
    await worker.hide();
    await clock.advance(1000);
    await worker.leave();
    expect(starts).toEqual([NOW]);
  });

  test('starts nobody beside a worker that has room', async () => {
    const { clock, pool, worker, starts, other } = await setUp({ hosts: 2 });
    await pool.show(0, other('other', 3));
    await clock.advance(101_000);
    await worker.leave();
    expect(starts).toEqual([]);
  });
});

describe('a worker that finishes its turns', () => {
  test('starts another one when messages wait and its successor has gone', async () => {
    const { clock, pool, worker, starts, state, other } = await setUp({ hosts: 1 });
    await clock.advance(100_000);
    expect(starts).toEqual([NOW]);
    await pool.show(0, other('successor', 0));
    state.waiting = 1;
    await clock.advance(5000);
    expect(starts).toEqual([NOW]);
    await pool.hide(0, 'successor');
    await clock.advance(5000);
    expect(starts).toEqual([NOW, NOW]);
    state.waiting = 0;
    await clock.advance(5000);
    expect(starts).toEqual([NOW, NOW]);
    await worker.leave();
  });

  test('starts one when the other has left its hosts to this one, as this one has to the other', async () => {
    const { clock, pool, worker, starts, state, own, other } = await setUp({ hosts: 2 });
    await pool.show(0, other('other', 3));
    await clock.advance(5000);
    expect(pool.all[0]!.get(own)).toMatchObject({ isEnding: true });
    expect(starts).toEqual([]);
    await pool.show(0, { ...other('other', 3), isEnding: true });
    state.waiting = 1;
    await clock.advance(5000);
    expect(starts).toEqual([NOW]);
    await worker.leave();
  });
});

test('a worker that serves only suspicious hosts for half a minute starts another one for messages that wait, and takes on hosts again later', async () => {
  const { clock, pool, worker, starts, state, own } = await setUp({ hosts: 2 });
  Object.assign(state, { quarantineSince: clock.now(), waiting: 1 });
  await clock.advance(29_000);
  expect(pool.all[0]!.get(own)).toMatchObject({ isEnding: false });
  expect(starts).toEqual([]);
  await clock.advance(1000);
  expect(pool.all[0]!.get(own)).toMatchObject({ isEnding: true });
  expect(starts).toEqual([NOW]);
  state.quarantineSince = undefined;
  await clock.advance(5000);
  expect(pool.all[0]!.get(own)).toMatchObject({ isEnding: false });
  expect(worker.drain.aborted).toBe(false);
  await worker.leave();
});

test('a worker that takes on no more hosts because of its memory starts another one for messages that wait', async () => {
  const { clock, state, starts, worker } = await setUp({ hosts: 4 });
  state.waiting = 5;
  await clock.advance(20_000);
  expect(starts).toEqual([]);
  state.places = 4;
  await clock.advance(6000);
  expect(starts).toEqual([{ ...NOW, workers: 2 }]);
  await worker.leave();
});

test('a worker that hides while it is being shown is not in the pool afterwards', async () => {
  const { clock, pool, worker } = await setUp();
  const { show } = pool;
  pool.show = async (queue, member) => {
    await clock.sleep(300);
    await show(queue, member);
  };
  await clock.advance(5100);
  await clock.drive(worker.hide());
  await clock.advance(20_000);
  expect(pool.all[0]!.size).toBe(0);
  await worker.leave();
});

describe('other turn queues that the worker sends messages to', () => {
  const message = { kind: 'wake', crawl: 'c' } as const;
  /** Two hosts of turn queue 1. */
  const others = ['a.test', 'b.test', 'c.test', 'd.test', 'e.test', 'f.test'];

  test('have a worker started also if this one ends before it looks again', async () => {
    const { worker, starts } = await setUp();
    await worker.watch(silent).send(others.map((host) => ({ host, message })));
    await worker.leave();
    expect(starts).toEqual([{ queue: 1, workers: 1, delayMs: 0 }]);
  });

  test('have one started also for what is sent while the pool is being asked', async () => {
    const { clock, pool, worker, starts, other } = await setUp({ hosts: 1 });
    const queue = worker.watch(silent);
    const { members } = pool;
    await pool.show(1, other('other', 0));
    let asked = 0;
    pool.members = async (of) => {
      const found = await members(of);
      if (of === 1 && asked++ === 0) {
        await pool.hide(1, 'other');
        await queue.send(others.map((host) => ({ host, message })));
      }
      return found;
    };
    await queue.send(others.map((host) => ({ host, message })));
    await clock.advance(5000);
    expect(starts).toEqual([]);
    await clock.advance(5000);
    expect(starts).toEqual([{ queue: 1, workers: 1, delayMs: 0 }]);
    await worker.leave();
  });
});

describe('hosts that rest when the worker ends', () => {
  test('have workers started for all their times, also beside another worker', async () => {
    const { clock, pool, worker, starts, other } = await setUp();
    await pool.show(0, other('other', 1));
    const queue = worker.watch(silent);
    await queue.park(received('a.test', clock), 60_000);
    await queue.park(received('b.test', clock), 300_000);
    await queue.park(received('c.test', clock), 305_000);
    await worker.hide();
    await worker.leave();
    expect(starts).toEqual([60_000, 305_000].map((delayMs) => ({ ...NOW, delayMs })));
  });

  test('do not if the worker has received them again', async () => {
    const { clock, worker, starts } = await setUp();
    const host = received('a.test', clock);
    const giving: TurnQueue = { ...silent, receive: async () => [host] };
    const queue = worker.watch(giving);
    await queue.park(host, 60_000);
    await queue.receive(1, 0);
    await worker.leave();
    expect(starts).toEqual([]);
  });
});

test('what fails is logged, and the next look comes', async () => {
  const { clock, pool, worker, logged, own } = await setUp({ hosts: 1 });
  const { show } = pool;
  pool.show = async () => {
    throw new Error('no table');
  };
  await clock.advance(5000);
  expect(logged).toMatchObject([{ message: 'Error: no table' }]);
  pool.show = show;
  await clock.advance(5000);
  expect(pool.all[0]!.get(own)).toMatchObject({ hosts: 1 });
  await worker.leave();
});
