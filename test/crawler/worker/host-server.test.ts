import { expect, test } from 'vitest';
import { StorageFailed } from '../../../shared/core/base/storage-failed.ts';
import { BEING_DELETED } from '../../../shared/core/causes/status-reason.ts';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { NewerFormat } from '../../../shared/core/frontier/bytes.ts';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import type { Message } from '../../../shared/core/frontier/message.ts';
import { StaleTurn } from '../../../shared/crawler/ports/stale-turn.ts';
import type { Delivery, HostDeliveries } from '../../../shared/crawler/ports/turn-queue.ts';
import type { TurnServices } from '../../../shared/crawler/turn/services.ts';
import { newStats } from '../../../shared/crawler/turn/worker-stats.ts';
import { HostServer } from '../../../shared/crawler/worker/host-server.ts';
import { createReceives } from '../../../shared/crawler/worker/receives.ts';
import { createFakeClock, T0 } from './fake-clock.ts';

const LEASE_MS = 600_000;

interface Situation {
  /** Moments of the crawls' heads, or what reading them throws. */
  readonly heads?: Readonly<Record<string, number | Error>>;
  /** Crawls that are gone. */
  readonly gone?: readonly string[];
  readonly deleting?: readonly string[];
  readonly leaseMs?: number;
  readonly lanesRestUntil?: number;
  /** How long a turn takes. */
  readonly turnMs?: number;
  /** The queue takes no acknowledgement. */
  readonly isDeaf?: boolean;
  /** Parts of ledgers cannot be deleted, which takes a while to show. */
  readonly keepsParts?: boolean;
}

/** Turns ask for nothing here: their deliveries are tokens that count no more, so only the head's moment matters. */
function open({
  heads = {},
  gone = [],
  deleting = [],
  leaseMs = LEASE_MS,
  lanesRestUntil = 0,
  turnMs = 0,
  isDeaf = false,
  keepsParts = false,
}: Situation = {}) {
  const clock = createFakeClock();
  const log: string[] = [];
  const errors: unknown[] = [];
  const stats = newStats();
  const parts = ['s1-a'];
  let refreshed = false;
  const at = () => clock.now() - T0;
  const services = {
    engine: {
      clock,
      ledgers: {
        listParts: async (crawl: string, host: string) =>
          `${crawl} ${host}` === 'c a.test' ? [...parts] : [],
        async deleteParts(crawl: string, host: string, names: readonly string[]) {
          log.push(`delete ${names} of ${crawl} ${host}`);
          await clock.sleep(100);
          if (keepsParts) throw new Error('the parts are out of reach');
          parts.length = 0;
        },
        async loadHead(crawl: string) {
          log.push(`turn ${crawl} at ${at()}`);
          await clock.sleep(turnMs);
          const moment = heads[crawl] ?? 0;
          if (moment instanceof Error) throw moment;
          return { ...NEW_HEAD, version: 1, clock: { nextFetchAt: moment, failures: 0 } };
        },
      },
      queue: {
        async acknowledge(_: HostDeliveries, deliveries: readonly Delivery[]) {
          if (isDeaf) throw new Error('the queue is out of reach');
          log.push(`acknowledge ${deliveries.map(({ id }) => id)} at ${at()}`);
        },
        park: async (_: HostDeliveries, ms: number) => void log.push(`park ${ms}`),
      },
    },
    crawls: {
      refresh(id: string) {
        log.push(`read ${id} again`);
        refreshed = true;
      },
      get: async (id: string) =>
        gone.includes(id)
          ? undefined
          : {
              id,
              resumes: refreshed ? 2 : 1,
              config: parseConfig({}),
              configOf: () => parseConfig({}),
              ...(deleting.includes(id) && { reason: BEING_DELETED }),
            },
    },
    lanes: { restUntil: () => lanesRestUntil, receives: createReceives() },
    stats,
    stopping: new AbortController().signal,
  } as unknown as TurnServices;
  const server = new HostServer(services, {
    receiveUntil: T0 + leaseMs,
    deadline: T0 + leaseMs,
    onError: (error, host) => errors.push([host, (error as Error).message]),
  });
  const serve = async (...deliveries: Delivery[]) => {
    const done = server.serve({ host: 'a.test', deliveries, leaseUntil: T0 + LEASE_MS });
    done.catch(() => {});
    await clock.drive(done);
  };
  return { clock, log, errors, stats, serve };
}

const message = (crawl: string): Message => ({ kind: 'token', crawl, token: 'old' });
const delivery = (id: string, crawl = 'c', receiveCount = 1) =>
  ({ id, message: message(crawl), receiveCount }) as Delivery;

test('a host is tried again with the settings of the resume that asks for it', async () => {
  const { log, serve } = open();
  const wake = (id: string, resume?: number) =>
    ({ id, message: { kind: 'wake', crawl: 'c', resume }, receiveCount: 1 }) as Delivery;
  await serve(wake('1', 1), wake('2'));
  expect(log[0]).toBe('turn c at 0');
  log.length = 0;
  await serve(wake('3', 2), delivery('4'));
  expect(log.slice(0, 2)).toEqual(['read c again', 'turn c at 0']);
});

test('the deliveries of a host are acknowledged when its turns are over', async () => {
  const { log, serve, stats } = open();
  await serve(delivery('1'), delivery('2'));
  expect(log).toEqual(['turn c at 0', 'acknowledge 1,2 at 0']);
  expect(stats).toMatchObject({ turns: 1, hostsActive: 0, staleTurns: 0 });
});

test('each crawl has one turn, with all its deliveries', async () => {
  const { log, serve, stats } = open();
  await serve(delivery('1', 'c'), delivery('2', 'd'), delivery('3', 'c'));
  expect(log).toEqual(['turn c at 0', 'turn d at 0', 'acknowledge 1,3,2 at 0']);
  expect(stats.turns).toBe(2);
});

test('a short rest is waited out, before the next crawl’s turn and before the end', async () => {
  const { log, serve } = open({ heads: { c: T0 + 150, d: T0 + 300 } });
  await serve(delivery('1', 'c'), delivery('2', 'd'));
  expect(log).toEqual(['turn c at 0', 'turn d at 150', 'acknowledge 1,2 at 300']);
  const longest = open({ heads: { c: T0 + 200 } });
  await longest.serve(delivery('1'));
  expect(longest.log).toEqual(['turn c at 0', 'acknowledge 1 at 200']);
});

test('a rest counts from when a turn has ended, however long the turn took', async () => {
  const { log, serve } = open({ heads: { c: T0 + 150, d: T0 + 700 }, turnMs: 100 });
  await serve(delivery('1', 'c'), delivery('2', 'd'), delivery('3', 'e'));
  // 50 ms of the first rest are left, which are waited out; 450 ms of the second one are too long for that.
  expect(log).toEqual(['turn c at 0', 'turn d at 150', 'acknowledge 1,2 at 250', 'park 450']);
  const slow = open({ heads: { c: T0 + 1000, d: T0 + 1000 }, turnMs: 850 });
  await slow.serve(delivery('1', 'c'), delivery('2', 'd'));
  expect(slow.log).toEqual(['turn c at 0', 'turn d at 1000', 'acknowledge 1,2 at 1850']);
});

test('a longer rest parks the host with one delivery, which stays', async () => {
  const { log, serve } = open({ heads: { c: T0 + 201 } });
  await serve(delivery('1'), delivery('2'), delivery('3'));
  expect(log).toEqual(['turn c at 0', 'acknowledge 1,2 at 0', 'park 201']);
  const long = open({ heads: { c: T0 + 1_000_000 } });
  await long.serve(delivery('1'));
  expect(long.log.at(-1)).toBe('park 900000');
});

test('another crawl’s turn does not begin while the host rests for long: its deliveries stay', async () => {
  const { log, serve, stats } = open({ heads: { c: T0 + 201 } });
  await serve(delivery('1', 'c'), delivery('2', 'd'));
  expect(log).toEqual(['turn c at 0', 'acknowledge 1 at 0', 'park 201']);
  expect(stats.turns).toBe(1);
});

test('the host rests as long as the turn says that says most', async () => {
  const { log, serve } = open({ heads: { c: T0 + 150, d: T0 } });
  await serve(delivery('1', 'c'), delivery('2', 'd'));
  expect(log.at(-1)).toBe('acknowledge 1,2 at 150');
});

test('what came back and led to no request is acknowledged though the host rests for long', async () => {
  const { log, serve } = open({ heads: { c: T0 + 60_000 } });
  await serve(delivery('1', 'c', 2), delivery('2', 'c', 3));
  expect(log).toEqual(['turn c at 0', 'acknowledge 1,2 at 0']);
  // One that comes for the first time keeps the host parked.
  const fresh = open({ heads: { c: T0 + 60_000 } });
  await fresh.serve(delivery('1', 'c', 2), delivery('2', 'c', 1));
  expect(fresh.log).toEqual(['turn c at 0', 'acknowledge 1 at 0', 'park 60000']);
});

test('what belongs to a crawl that is gone is acknowledged without a turn', async () => {
  const { log, serve, stats } = open({ gone: ['c'] });
  await serve(delivery('1', 'c'), delivery('2', 'd'));
  expect(log).toEqual(['delete s1-a of c a.test', 'turn d at 100', 'acknowledge 1,2 at 100']);
  expect(stats.turns).toBe(1);
});

test('a crawl that is being deleted gets no turns, and parts of a host without a head are deleted', async () => {
  const { log, serve, stats } = open({ deleting: ['c'] });
  await serve(delivery('1', 'c', 2));
  expect(log).toEqual(['delete s1-a of c a.test', 'acknowledge 1 at 100']);
  expect(stats.turns).toBe(0);
});

test('a crawl has turns until its deletion begins, and none from then on', async () => {
  const deleting: string[] = [];
  const { log, serve } = open({ deleting });
  await serve(delivery('1', 'c'));
  deleting.push('c');
  await serve(delivery('2', 'c'));
  expect(log.map((line) => line.split(' at ')[0])).toEqual([
    ...['turn c', 'acknowledge 1'],
    ...['delete s1-a of c a.test', 'acknowledge 2'],
  ]);
});

test('a host of a deleted crawl whose parts are gone costs no further call', async () => {
  const { log, serve } = open({ deleting: ['c'] });
  await serve(delivery('1', 'c'));
  await serve(delivery('2', 'c'));
  expect(log).toEqual(['delete s1-a of c a.test', 'acknowledge 1 at 100', 'acknowledge 2 at 100']);
});

test('a message of a deleted crawl comes again if the parts that it finds cannot be deleted', async () => {
  const { log, errors, serve } = open({ deleting: ['c'], keepsParts: true });
  await serve(delivery('1', 'c'));
  expect(log).toEqual(['delete s1-a of c a.test', 'park 1000']);
  expect(errors).toEqual([['a.test', 'the parts are out of reach']]);
});

test('a turn that fails is tried again later, twice as long each time, five minutes at most', async () => {
  const fault = new Error('the store is out of reach');
  for (const [receiveCount, ms] of [
    [1, 1000],
    [2, 2000],
    [5, 16_000],
    [9, 256_000],
    [10, 300_000],
  ] as const) {
    const { log, errors, serve, stats } = open({ heads: { c: fault } });
    await serve(delivery('1', 'c', receiveCount), delivery('2', 'c', 1));
    expect(log).toEqual(['turn c at 0', `park ${ms}`]);
    expect(errors).toEqual([['a.test', 'the store is out of reach']]);
    expect(stats).toMatchObject({ turns: 0, hostsActive: 0, staleTurns: 0 });
  }
});

test('a ledger of a newer version waits for minutes, and is no failure of the worker', async () => {
  const { log, errors, serve } = open({ heads: { c: new NewerFormat('segment version 9') } });
  for (let times = 0; times < 30; times++) await serve(delivery('1', 'c', times === 0 ? 1 : 9));
  expect(log.filter((line) => line.startsWith('park')).slice(0, 2)).toEqual(['park 60000', 'park 900000']);
  expect(errors).toHaveLength(30);
});

test('the rest of a host that was asked outlasts the time until the next try', async () => {
  const fault = new Error('fault');
  const asked = open({ heads: { c: fault }, lanesRestUntil: T0 + 5000 });
  await asked.serve(delivery('1'));
  expect(asked.log.at(-1)).toBe('park 5000');
  const other = open({ heads: { c: T0 + 150, d: fault }, lanesRestUntil: T0 + 100 });
  await other.serve(delivery('1', 'c'), delivery('2', 'd'));
  expect(other.log).toEqual(['turn c at 0', 'turn d at 150', 'park 1000']);
});

test('a turn that another worker has taken over is counted and is no fault of ours', async () => {
  const { log, errors, serve, stats } = open({ heads: { c: new StaleTurn('it went to another worker') } });
  for (let i = 0; i < 25; i++) await serve(delivery('1'));
  expect([errors, stats.staleTurns]).toEqual([[], 25]);
  expect(log.at(-1)).toBe('park 1000');
});

test('a storage that fails ends the worker, and the host is not given back', async () => {
  const { log, serve, stats } = open({ heads: { c: new StorageFailed('the disk is full') } });
  await expect(serve(delivery('1'))).rejects.toThrow('the disk is full');
  expect([log, stats.hostsActive]).toEqual([['turn c at 0'], 0]);
});

test('twenty faults in a row end the worker; a turn between them begins the count again', async () => {
  const { log, serve } = open({ heads: { c: new Error('fault') } });
  for (let i = 0; i < 19; i++) await serve(delivery('1'));
  await serve(delivery('2', 'd'));
  for (let i = 0; i < 19; i++) await serve(delivery('1'));
  await expect(serve(delivery('1'))).rejects.toThrow('fault');
  expect(log.at(-1)).toBe('park 1000');
});

test('a lease that is too short for one request is reported, and no turn begins', async () => {
  const least = parseConfig({}).totalTimeoutMs + 10_000;
  const short = open({ leaseMs: least });
  await short.serve(delivery('1'));
  expect(short.log).toEqual(['park 1000']);
  expect(short.errors).toEqual([
    [
      'a.test',
      `Expected a lease of more than ${least} ms (totalTimeoutMs, hooks and a commit), got ${least}`,
    ],
  ]);
  const enough = open({ leaseMs: least + 1 });
  await enough.serve(delivery('1'));
  expect(enough.errors).toEqual([]);
});

test('deliveries that could not be acknowledged come again', async () => {
  for (const [moment, receiveCount, ms] of [
    [0, 1, 1000],
    [T0 + 100, 1, 1000],
    [T0 + 5000, 1, 1000],
    [T0 + 5000, 2, 2000],
  ] as const) {
    const { log, errors, serve } = open({ heads: { c: moment }, isDeaf: true });
    await serve(delivery('1', 'c', receiveCount));
    expect(errors).toEqual([['a.test', 'the queue is out of reach']]);
    expect(log.at(-1)).toBe(`park ${Math.max(ms, moment - T0)}`);
  }
});

test('what came back is not all that was received: a part that waits for another turn keeps the host parked', async () => {
  const { log, serve } = open({ heads: { c: T0 + 5000 } });
  await serve(delivery('1', 'c', 2), delivery('2', 'd', 2));
  expect(log).toEqual(['turn c at 0', 'acknowledge 1 at 0', 'park 5000']);
});
