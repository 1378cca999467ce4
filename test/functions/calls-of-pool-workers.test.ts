/** A worker in its pool, from joining to leaving: all that it asks, shows and starts, and when; and what a failure changes. */
import { expect, test } from 'vitest';
import { PoolWorker } from '../../functions/pool-worker.ts';
import type { HostDeliveries, TurnQueue } from '../../shared/crawler/ports/turn-queue.ts';
import type { PoolMember } from '../../shared/crawler/worker/pool-plan.ts';
import type { SmallWorker } from '../../shared/crawler/worker/small-worker.ts';
import { createFakeClock, type FakeClock, T0 } from '../crawler/worker/fake-clock.ts';
import { openGolden, textOf } from '../golden.ts';
import { createFakePool } from './fake-stack.ts';

const golden = openGolden('calls-of-pool-workers.txt', import.meta.url);
const SMALL: SmallWorker = { memoryMb: 512, maxHosts: 6 };
const CALLS = [
  'members',
  'show',
  'hide',
  'waiting',
  'start',
  'startSmall',
  'hasLostSmall',
  'noteFewHosts',
  'ensure',
] as const;

interface State {
  hosts: number;
  places: number;
  waiting: number;
  cpuShare: number;
  quarantineSince?: number | undefined;
}

interface Story {
  readonly small?: SmallWorker;
  readonly isSmall?: boolean;
  readonly hosts?: number;
  readonly others?: readonly Partial<PoolMember>[];
  /** By second: what happens then. The worker leaves in the end. */
  readonly events?: Readonly<Record<number, (world: World) => unknown>>;
  readonly seconds: number;
}

interface World {
  readonly state: State;
  readonly clock: FakeClock;
  readonly pool: ReturnType<typeof createFakePool>;
  readonly worker: PoolWorker;
  readonly queue: TurnQueue;
}

const member = (fields: Partial<PoolMember>): PoolMember => ({
  ...{ id: 'other', hosts: 1, maxHosts: 10, isEnding: false },
  ...fields,
});
const parked = (host: string, { clock, queue }: World, ms: number) =>
  queue.park({ host, deliveries: [], leaseUntil: clock.now() + 60_000 } as HostDeliveries, ms);
const wake = (host: string) => ({ host, message: { kind: 'wake', crawl: 'c' } as const });

const STORIES: Readonly<Record<string, Story>> = {
  'a worker that becomes idle': {
    hosts: 2,
    seconds: 21,
    events: {
      12: ({ state }) => Object.assign(state, { hosts: 0 }),
      14: (world) => parked('a.test', world, 30_000),
      15: (world) => parked('b.test', world, 300_000),
      16: ({ queue }) => queue.receive(1, 0),
      20: ({ worker }) => worker.hide(),
    },
  },
  'a worker whose time is up': {
    hosts: 2,
    seconds: 113,
    events: { 112: ({ state }) => Object.assign(state, { hosts: 0 }) },
  },
  'a worker that is full': {
    hosts: 10,
    seconds: 21,
    others: [{ hosts: 10, id: 'zz' }],
    events: { 3: ({ state }) => Object.assign(state, { waiting: 30 }) },
  },
  'a worker that others have room for': {
    hosts: 1,
    seconds: 21,
    others: [{ maxHosts: 30 }],
    events: { 11: ({ pool, state }) => [pool.all[0]!.delete('other'), Object.assign(state, { waiting: 3 })] },
  },
  'a worker of suspicious hosts': {
    hosts: 2,
    seconds: 47,
    events: {
      3: ({ state, clock }) => Object.assign(state, { quarantineSince: clock.now(), waiting: 2 }),
      41: ({ state }) => Object.assign(state, { quarantineSince: undefined }),
    },
  },
  'a worker that sends messages to the hosts of other turn queues': {
    hosts: 1,
    seconds: 12,
    events: {
      2: ({ queue }) => queue.send(['a.test', 'b.test', 'c.test', 'd.test'].map(wake)),
      11: ({ queue }) => queue.send(['a.test', 'b.test', 'c.test', 'd.test'].map(wake)),
    },
  },
  'a worker of few hosts, in a stack of small ones': { hosts: 2, small: SMALL, seconds: 72 },
  'a worker of few hosts that becomes idle, in a stack of small ones': {
    hosts: 2,
    small: SMALL,
    seconds: 31,
    events: {
      24: ({ state }) => Object.assign(state, { hosts: 0 }),
      25: (world) => parked('a.test', world, 60_000),
      30: ({ worker }) => worker.hide(),
    },
  },
  'a small worker whose time is up': { hosts: 2, small: SMALL, isSmall: true, seconds: 103 },
  'a small worker that is too slow': {
    hosts: 2,
    small: SMALL,
    isSmall: true,
    seconds: 72,
    events: { 1: ({ state }) => Object.assign(state, { cpuShare: 0.28 }) },
  },
  'a small worker that is too small for a page': {
    hosts: 2,
    small: SMALL,
    isSmall: true,
    seconds: 17,
    events: {
      7: ({ worker }) => worker.leaveToLarger(),
      8: ({ state }) => Object.assign(state, { waiting: 1 }),
    },
  },
};

/** `failing`: the number of the call that fails, from 1. */
async function linesOf(story: Story, failing?: number) {
  const { small, isSmall = false, hosts = 0, others = [], events = {}, seconds } = story;
  const clock = createFakeClock();
  clock.uuid = () => 'me';
  const lines: string[] = [];
  const pool = createFakePool();
  for (const other of others) await pool.show(0, member(other));
  const note = (what: string, ...args: readonly unknown[]) =>
    lines.push([`${(clock.now() - T0) / 1000}`, what, ...args.map(textOf)].join(' '));
  let calls = 0;
  let inProgress = 0;
  const state: State = { hosts, places: 10, waiting: 0, cpuShare: 0 };
  pool.waiting = async () => state.waiting;
  for (const name of CALLS) {
    const call = pool[name].bind(pool) as (...args: unknown[]) => Promise<never>;
    // `ensure` calls `members` and `start` by itself.
    const isDirect = () => inProgress === 0;
    Object.assign(pool, {
      async [name](...args: unknown[]) {
        if (!isDirect()) return call(...args);
        const number = ++calls;
        note(name, ...args);
        inProgress++;
        try {
          for (let tick = 0; tick < 10; tick++) await undefined;
          clock.set(1);
          if (number === failing) throw new Error(`call ${number} fails`);
          return await call(...args);
        } finally {
          inProgress--;
        }
      },
    });
  }
  const options = {
    ...{ pool, queue: 0, clock, small, isSmall },
    log: (level: string, fields: object) => note('log', level, fields),
    placesFor: () => state.places,
    cpuMs: () => (clock.now() - T0) * state.cpuShare,
    receiveUntil: T0 + 100_000,
    lastCallAt: T0 + 115_000,
  };
  const worker = new PoolWorker(options);
  const silent: TurnQueue = {
    send: async () => {},
    receive: async () => [{ host: 'b.test', deliveries: [], leaseUntil: 0 } as HostDeliveries],
    acknowledge: async () => {},
    hold: async () => {},
    park: async () => {},
  };
  const world = { state, clock, pool, worker, queue: worker.watch(silent) };
  const joined = await worker.join(3, 'starting').catch((error: Error) => error.message);
  note('joined', joined);
  if (joined !== true) return { lines, calls };
  worker.follow(() => ({ hostsActive: state.hosts, quarantineSince: state.quarantineSince }));
  for (let second = 1; second <= seconds; second++) {
    await clock.advance(1000);
    await events[second]?.(world);
  }
  await clock.drive(worker.leave());
  note('left', worker.drain.aborted, [...pool.all[0]!.keys()]);
  return { lines, calls };
}

test.each(Object.entries(STORIES))('%s', async (name, story) => {
  const { lines, calls } = await linesOf(story);
  golden.compare(name, lines);
  const shortened: string[] = [];
  for (let failing = 1; failing <= calls; failing++) {
    const struck = (await linesOf(story, failing)).lines;
    expect(struck.join('\n')).toContain(`call ${failing} fails`);
    const differs = struck.findIndex((line, i) => line !== lines[i]);
    shortened.push(...struck.slice(Math.max(0, differs - 1), differs + 3), '');
  }
  golden.compare(`${name}, if a call fails`, shortened);
});
