import { describe, expect, test } from 'vitest';
import { PoolWorker } from '../../functions/pool-worker.ts';
import type { HostDeliveries, TurnQueue } from '../../shared/crawler/ports/turn-queue.ts';
import type { PoolMember } from '../../shared/crawler/worker/pool-plan.ts';
import type { SmallWorker } from '../../shared/crawler/worker/small-worker.ts';
import { createFakeClock } from '../crawler/worker/fake-clock.ts';
import { createFakePool, type Started } from './fake-stack.ts';

/** A worker of turn queue 0 that has joined its pool. It receives for 100 s, and ends after 120 s. */
async function setUp({
  hosts = 0,
  small,
  isSmall = false,
  pool: given,
}: {
  hosts?: number;
  small?: SmallWorker;
  isSmall?: boolean;
  pool?: ReturnType<typeof createFakePool>;
} = {}) {
  const clock = createFakeClock();
  const starts: Started[] = [];
  const logged: object[] = [];
  const pool = given ?? createFakePool(starts);
  const state: {
    hosts: number;
    places: number;
    waiting: number;
    cpuShare: number;
    quarantineSince?: number | undefined;
  } = { hosts, places: 10, waiting: 0, cpuShare: 0 };
  pool.waiting = async () => state.waiting;
  const worker = new PoolWorker({
    pool,
    queue: 0,
    clock,
    log: (_level, fields) => void logged.push(fields),
    placesFor: () => state.places,
    small,
    isSmall,
    cpuMs: () => clock.now() * state.cpuShare,
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

  test('because its time is up starts one at once, though that comes while it is being shown', async () => {
    const { clock, pool, starts, state, worker } = await setUp({ hosts: 1 });
    await clock.advance(94_999);
    const show = pool.show.bind(pool);
    pool.show = async (queue, member) => {
      pool.show = show;
      await clock.sleep(5500);
      await show(queue, member);
    };
    await clock.advance(5501);
    expect(starts).toEqual([NOW]);
    state.hosts = 0;
    await worker.leave();
  });

  test('when its time is up, between what makes it idle and its last receive, starts one', async () => {
    const { clock, worker, starts } = await setUp();
    await clock.advance(99_000);
    await worker.hide();
    await clock.advance(1000);
    await worker.leave();
    expect(starts).toEqual([NOW]);
  });

  test.each([
    ['because its time is up', 101_000, NOW],
    ['because it is idle, with a host that comes back', 20_000, { queue: 0, workers: 1, delayMs: 30_000 }],
  ])('%s has done all when it has left, however slow the pool is', async (_, ms, started) => {
    const { clock, pool, worker, starts } = await setUp();
    for (const name of ['start', 'hide', 'ensure', 'members'] as const) {
      const call = pool[name].bind(pool) as (...given: unknown[]) => Promise<never>;
      Object.assign(pool, {
        async [name](...given: unknown[]) {
          for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
          return call(...given);
        },
      });
    }
    const queue = worker.watch(silent);
    await clock.advance(ms);
    if (ms < 100_000) await queue.park(received('a.test', clock), 30_000);
    // Its last look is over.
    for (let round = 0; round < 30; round++) await new Promise((resolve) => setImmediate(resolve));
    starts.length = 0;
    await worker.leave();
    expect([starts, pool.all[0]!.size]).toEqual([[started], 0]);
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

describe('several other turn queues that the worker sends messages to', () => {
  const wakes = Array.from({ length: 60 }, (_, i) => ({
    host: `h${i}.test`,
    message: { kind: 'wake', crawl: 'c' } as const,
  }));

  /** A worker in a stack of five turn queues, after 80 s. `ensure`: called with the number of the call, from 1. */
  async function ofFive(ensure: (count: number) => Promise<void>) {
    const set = await setUp();
    const asked: { queue: number; at: number }[] = [];
    const startedAt = set.clock.now();
    Object.assign(set.pool, {
      queues: 5,
      async ensure(queue: number) {
        asked.push({ queue, at: set.clock.now() - startedAt });
        await ensure(asked.length);
      },
    });
    await set.clock.advance(80_000);
    await set.worker.watch(silent).send(wakes);
    return { ...set, asked };
  }

  test('have one started for each, though one of them cannot be looked after', async () => {
    const { worker, asked, logged } = await ofFive(async (count) => {
      if (count === 2) throw new Error('no table');
    });
    await worker.leave();
    expect(asked.map(({ queue }) => queue).sort()).toEqual([1, 2, 3, 4]);
    expect(logged).toMatchObject([{ message: 'Error: no table' }]);
  });

  test('are looked after one by one, and none any more shortly before the end of the function', async () => {
    const { clock, worker, asked } = await ofFive(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      clock.set(20_000);
    });
    await worker.leave();
    expect(asked.map(({ at }) => at)).toEqual([80_000, 100_000]);
  });
});

describe('hosts that rest when the worker ends', () => {
  /** A worker that ends after 80 s, with three hosts that come back. `start`: called with the number of the call, from 1. */
  async function withThree(start: (count: number) => Promise<void>) {
    const set = await setUp();
    const delays: number[] = [];
    await set.clock.advance(80_000);
    const queue = set.worker.watch(silent);
    for (const [i, ms] of [60_000, 120_000, 180_000].entries())
      await queue.park(received(`h${i}.test`, set.clock), ms);
    set.pool.start = async (_queue, _count, _workers, { delayMs = 0 } = {}) => {
      delays.push(delayMs);
      await start(delays.length);
    };
    return { ...set, delays };
  }

  test('have a worker started each, though one of them cannot be', async () => {
    const { worker, delays, logged } = await withThree(async (count) => {
      if (count === 1) throw new Error('no queue');
    });
    await worker.leave();
    expect(delays).toEqual([60_000, 120_000, 180_000]);
    expect(logged).toMatchObject([{ message: 'Error: no queue' }]);
  });

  test('have workers started for their times, however long a start takes; none shortly before the end of the function', async () => {
    const { clock, worker, delays } = await withThree(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      clock.set(20_000);
    });
    await worker.leave();
    expect(delays).toEqual([60_000, 100_000]);
  });

  test('have one started when they are surely back, however long parking took', async () => {
    const { clock, worker, starts } = await setUp();
    const slow: TurnQueue = { ...silent, park: async () => clock.set(20_000) };
    await worker.watch(slow).park(received('a.test', clock), 60_000);
    await worker.leave();
    expect(starts).toEqual([{ ...NOW, delayMs: 60_000 }]);
  });

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
    const hosts = ['a.test', 'b.test', 'c.test'].map((host) => received(host, clock));
    const batches = [[], hosts.slice(0, 2), hosts.slice(2)];
    const giving: TurnQueue = { ...silent, receive: async () => batches.shift() ?? [] };
    const queue = worker.watch(giving);
    for (const host of hosts) await queue.park(host, 60_000);
    for (const size of [0, 2, 1]) expect(await queue.receive(2, 0)).toHaveLength(size);
    await worker.leave();
    expect(starts).toEqual([]);
  });

  test('are parked, received and sent to by the queue itself, as it is called', async () => {
    const { clock, worker } = await setUp();
    const calls: unknown[] = [];
    const noting = Object.keys(silent).map((name) => [
      name,
      async (...args: unknown[]) => {
        calls.push([name, ...args]);
        return name === 'receive' ? [received('a.test', clock)] : undefined;
      },
    ]);
    const queue = worker.watch(Object.fromEntries(noting) as unknown as TurnQueue);
    const { signal } = new AbortController();
    const host = received('b.test', clock);
    const messages = [{ host: 'c.test', message: { kind: 'wake', crawl: 'c' } as const }];
    expect(await queue.receive(3, 400, signal)).toEqual([received('a.test', clock)]);
    await queue.park(host, 60_000, true);
    await queue.send(messages);
    await queue.acknowledge(host, []);
    await queue.hold(host, 9000);
    expect(calls).toEqual([
      ['receive', 3, 400, signal],
      ['park', host, 60_000, true],
      ['send', messages],
      ['acknowledge', host, []],
      ['hold', host, 9000],
    ]);
    await worker.leave();
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

test('a worker whose time is up while it notes that it had few hosts starts one', async () => {
  const { clock, pool, worker, starts, state } = await setUp({ small: { memoryMb: 512, maxHosts: 6 } });
  // So it does not make room for a small one before.
  pool.hasLostSmall = async () => true;
  await clock.advance(99_000);
  state.hosts = 0;
  pool.noteFewHosts = (queue) => clock.sleep(2000).then(() => void pool.fewHosts.push(queue));
  await clock.drive(worker.leave());
  expect([pool.fewHosts, starts]).toEqual([[0], [NOW]]);
});

describe('a pool of few hosts', () => {
  const small: SmallWorker = { memoryMb: 512, maxHosts: 6 };

  test('goes to a small worker after a minute', async () => {
    const { clock, pool, worker, starts, own } = await setUp({ hosts: 4, small });
    await clock.advance(59_000);
    expect(pool.smallStarts).toEqual([]);
    expect(worker.drain.aborted).toBe(false);
    await clock.advance(1000);
    expect(pool.smallStarts).toEqual([NOW]);
    expect(worker.drain.aborted).toBe(true);
    expect(pool.all[0]!.get(own)).toMatchObject({ isEnding: true });
    await pool.show(0, { id: 'small', hosts: 4, maxHosts: 6, isEnding: false, isSmall: true });
    await clock.advance(10_000);
    await worker.leave();
    expect([pool.smallStarts, starts]).toEqual([[NOW], []]);
  });

  test.each<[string, Partial<{ hosts: number; cpuShare: number }>]>([
    ['it serves more hosts than a small one should begin with', { hosts: 5 }],
    ['it needs much of what a small one has of a CPU', { cpuShare: 0.12 }],
  ])('stays with its worker while %s', async (_why, more) => {
    const { clock, pool, worker, state } = await setUp({ hosts: 4, small });
    Object.assign(state, more);
    await clock.advance(95_000);
    expect(pool.smallStarts).toEqual([]);
    await worker.leave();
  });

  test('stays with full-size workers for a while after a small one has died', async () => {
    const { clock, pool, worker, starts } = await setUp({ hosts: 1, small });
    pool.hasLostSmall = async () => true;
    await clock.advance(100_000);
    expect(pool.smallStarts).toEqual([]);
    expect(starts).toEqual([NOW]);
    await worker.leave();
  });

  test('stays with two workers until one of them has ended', async () => {
    const { clock, pool, worker, other } = await setUp({ hosts: 4, small });
    await pool.show(0, other('other', 8));
    await clock.advance(90_000);
    expect(pool.smallStarts).toEqual([]);
    await worker.leave();
  });

  test('goes to a full-size worker if a small one cannot be started', async () => {
    const { clock, pool, worker, starts } = await setUp({ hosts: 1, small });
    pool.startSmall = async () => false;
    await clock.advance(60_000);
    expect(starts).toEqual([NOW]);
    await worker.leave();
  });

  test('goes to a small worker each time that one can be started, whatever came of the last one', async () => {
    const starts: Started[] = [];
    const pool = createFakePool(starts);
    const { startSmall } = pool;
    for (const [isPossible, full] of [
      [true, 0],
      [false, 1],
      [true, 0],
    ] as const) {
      pool.startSmall = async (...start) => isPossible && startSmall(...start);
      const { clock, worker } = await setUp({ hosts: 1, small, pool });
      await clock.advance(60_000);
      expect(starts.splice(0)).toHaveLength(full);
      await worker.leave();
      starts.length = 0;
    }
    expect(pool.smallStarts).toEqual([NOW, NOW]);
  });

  test('has a full-size worker started for a delayed host if its last one had more hosts, or used more of its CPU', async () => {
    for (const more of [{ hosts: 5 }, { cpuShare: 0.9 }]) {
      const { clock, worker, starts, state } = await setUp({ small });
      Object.assign(state, more);
      await clock.advance(30_000);
      Object.assign(state, { hosts: 0 });
      await worker.watch(silent).park(received('a.test', clock), 60_000);
      await worker.hide();
      await worker.leave();
      expect(starts).toEqual([{ ...NOW, delayMs: 60_000 }]);
    }
  });

  test('has a full-size worker started for a delayed host once a small one has died', async () => {
    const first = await setUp({ small });
    const { pool, starts } = first;
    for (const hasLost of [false, true]) {
      pool.hasLostSmall = async () => hasLost;
      const { clock, worker } = hasLost ? await setUp({ small, pool }) : first;
      await worker.watch(silent).park(received('a.test', clock), 60_000);
      await worker.hide();
      await worker.leave();
    }
    const start = { ...NOW, delayMs: 60_000 };
    expect(starts).toEqual([{ ...start, isSmall: true }, start]);
  });

  test('has a small worker started for a delayed host, and a full-size one if there were more hosts', async () => {
    for (const count of [4, 5]) {
      const { clock, pool, worker, starts } = await setUp({ small });
      const queue = worker.watch(silent);
      for (let n = 0; n < count; n++) await queue.park(received(`h${n}.test`, clock), 60_000);
      await worker.hide();
      await worker.leave();
      expect(pool.smallStarts).toEqual([]);
      expect(starts).toEqual([
        { queue: 0, workers: 1, delayMs: 60_000, ...(count === 4 && { isSmall: true }) },
      ]);
    }
  });

  test('is noted by a worker that ends idle, and not by one of many hosts or one that makes room', async () => {
    for (const [hosts, seconds, noted] of [
      [4, 20, [0]],
      [5, 20, []],
      [4, 60, []],
    ] as const) {
      const { clock, pool, worker, state } = await setUp({ hosts, small });
      await clock.advance(seconds * 1000);
      state.hosts = 0;
      await worker.leave();
      expect(pool.fewHosts).toEqual(noted);
    }
    const { pool, worker } = await setUp();
    await worker.leave();
    expect(pool.fewHosts).toEqual([]);
  });

  test('is not left alone if the start of the small worker is lost', async () => {
    const { clock, pool, worker, starts, state } = await setUp({ hosts: 1, small });
    state.waiting = 1;
    await clock.advance(60_000);
    expect([pool.smallStarts, starts]).toEqual([[NOW], []]);
    await clock.advance(5000);
    expect(starts).toEqual([NOW]);
    await worker.leave();
  });
});

describe('a small worker', () => {
  const small: SmallWorker = { memoryMb: 512, maxHosts: 10 };

  test('says that it is one, and starts a small successor', async () => {
    const { clock, pool, worker, starts, own } = await setUp({ hosts: 4, small, isSmall: true });
    expect(pool.all[0]!.get(own)).toMatchObject({ isSmall: true });
    await clock.advance(100_000);
    expect([pool.smallStarts, starts]).toEqual([[NOW], []]);
    await worker.leave();
  });

  test('that is full has a full-size one started for the messages that wait, and ends when that has room for all', async () => {
    const { clock, pool, worker, starts, state, other } = await setUp({ hosts: 10, small, isSmall: true });
    state.waiting = 30;
    await clock.advance(5000);
    expect([pool.smallStarts, starts]).toEqual([[], [{ ...NOW, workers: 2 }]]);
    await pool.show(0, { ...other('full', 1), maxHosts: 300 });
    await clock.advance(5000);
    expect(worker.drain.aborted).toBe(true);
    await worker.leave();
    expect(starts).toHaveLength(1);
  });

  test('that has too little CPU makes room for a full-size one', async () => {
    const { clock, pool, worker, starts, state } = await setUp({ hosts: 4, small, isSmall: true });
    state.cpuShare = 0.28;
    await clock.advance(55_000);
    expect(starts).toEqual([]);
    await clock.advance(10_000);
    expect([pool.smallStarts, starts]).toEqual([[], [NOW]]);
    expect(worker.drain.aborted).toBe(true);
    await worker.leave();
  });

  test('that is too small for a page leaves its hosts to a full-size one at once', async () => {
    const { clock, pool, worker, starts, state } = await setUp({ hosts: 4, small, isSmall: true });
    worker.leaveToLarger();
    worker.leaveToLarger();
    expect(worker.drain.aborted).toBe(true);
    await clock.advance(1000);
    expect([pool.smallStarts, starts]).toEqual([[], [NOW]]);
    // That start is lost.
    state.waiting = 1;
    await clock.advance(5000);
    expect(starts).toEqual([NOW, NOW]);
    await worker.leave();
  });

  test('that is too small for a page has started the full-size one when it has left, however slow the pool is', async () => {
    const { clock, pool, worker, starts } = await setUp({ hosts: 4, small, isSmall: true });
    for (const name of ['start', 'members'] as const) {
      const call = pool[name].bind(pool) as (...given: unknown[]) => Promise<never>;
      Object.assign(pool, {
        async [name](...given: unknown[]) {
          for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
          return call(...given);
        },
      });
    }
    await clock.advance(1000);
    worker.leaveToLarger();
    await worker.leave();
    // That start, and another one as nobody has come yet.
    expect([starts, pool.all[0]!.size]).toEqual([[NOW, NOW], 0]);
  });

  test('counts among the workers that a turn queue may have until it has ended', async () => {
    const { clock, pool, worker, starts, state, other } = await setUp({ hosts: 10 });
    for (const id of ['x', 'y']) await pool.show(0, other(`~${id}`, 10));
    await pool.show(0, { ...other('~small', 1), isEnding: true, isSmall: true });
    state.waiting = 100;
    await clock.advance(5000);
    expect(starts).toEqual([]);
    await pool.hide(0, '~small');
    await clock.advance(5000);
    expect(starts).toHaveLength(1);
    await worker.leave();
  });
});

describe('a worker of a large pool', () => {
  /** Looks of one of 1,000 workers in 90 s, and times it was shown. `id`: of the others, who start with it. */
  async function looksBeside(id: string) {
    const set = await setUp({ hosts: 8 });
    for (let other = 1; other < 1000; other++) await set.pool.show(0, set.other(`${id}${other}`, 8));
    const counts = { looks: 0, shows: 0 };
    const { members, show } = set.pool;
    set.pool.members = (queue) => {
      counts.looks++;
      return members(queue);
    };
    set.pool.show = (queue, member) => {
      counts.shows++;
      return show(queue, member);
    };
    await set.clock.advance(90_000);
    return { ...set, counts };
  }

  test('shows itself every 5 s, and reads all others every 42 s', async () => {
    const { counts, worker } = await looksBeside('!');
    expect(counts).toEqual({ shows: 18, looks: 2 });
    await worker.leave();
  });

  test('reads them every 5 s if it is the one that starts others', async () => {
    const { counts, worker } = await looksBeside('~');
    expect(counts).toEqual({ shows: 18, looks: 18 });
    await worker.leave();
  });

  test('starts its successor in the moment in which its time is up', async () => {
    const { clock, starts, worker, pool, counts } = await looksBeside('!');
    for (const member of pool.all[0]!.values()) await pool.show(0, { ...member, hosts: member.maxHosts });
    await clock.advance(10_000);
    expect(counts.looks).toBe(4);
    expect(starts).toEqual([{ ...NOW, workers: 1000 }]);
    await worker.leave();
  });
});
