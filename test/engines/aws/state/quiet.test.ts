/** Since when a crawl has had nothing to do, over the model of DynamoDB. */
import { expect, test } from 'vitest';
import { createLedgerStore } from '../../../../shared/engines/aws/state/ledger-store.ts';
import {
  createQuietNotes,
  idleFor,
  isDrained,
  isSettled,
  type QuietNotes,
  type QuietTimes,
  SHARDED_SETTLE_MS,
} from '../../../../shared/engines/aws/state/quiet.ts';
import { createRegistry } from '../../../../shared/engines/aws/state/registry.ts';
import { dueShardOf } from '../../../../shared/engines/aws/state/tables.ts';
import { createSimCloud } from '../../../../simulation/models/cloud.ts';
import { drive } from '../../../../simulation/models/virtual-time.ts';
import { createServices } from '../../../../simulation/test/models/dynamo-services.ts';
import { headOf, RECORD } from '../../../contract/subjects.ts';
import { createFakeClock, T0 } from '../../../crawler/worker/fake-clock.ts';

function open() {
  const { clients, dynamo } = createServices();
  const clock = createFakeClock();
  const notesOver = (dynamo: typeof clients.dynamo) => createQuietNotes({ dynamo, table: 'T', clock });
  return {
    clock,
    notes: notesOver(clients.dynamo),
    /** A process each of whose calls waits for `before`. */
    slowNotes: (before: () => Promise<void>) =>
      notesOver({
        async send(command: never) {
          await before();
          return clients.dynamo.send(command);
        },
      } as unknown as typeof clients.dynamo),
    items: () => [...dynamo.items('T')],
  };
}

test('the first looks count: since when no host was due, and since when the queues were empty too', async () => {
  const { clock, notes } = open();
  expect(await notes.noteIdle('crawl', true)).toEqual({ idleSince: T0, looks: 1 });
  await clock.advance(1000);
  const seen = { idleSince: T0, quietSince: T0 + 1000 };
  expect(await notes.noteIdle('crawl', false)).toEqual({ ...seen, looks: 2 });
  await clock.advance(1000);
  expect(await notes.noteIdle('crawl', false)).toEqual({ ...seen, looks: 3 });
  const other = { idleSince: T0 + 2000, quietSince: T0 + 2000, looks: 1 };
  expect(await notes.noteIdle('other', false)).toEqual(other);
});

test('a message begins the time of empty queues again, and a host that is due begins both', async () => {
  const { clock, notes } = open();
  await notes.noteIdle('crawl', false);
  await clock.advance(1000);
  expect(await notes.noteIdle('crawl', true)).toEqual({ idleSince: T0, looks: 2 });
  await clock.advance(1000);
  expect(await notes.noteIdle('crawl', false)).toEqual({ idleSince: T0, quietSince: T0 + 2000, looks: 3 });
  await notes.noteBusy('crawl');
  await clock.advance(1000);
  const begun = { idleSince: T0 + 3000, quietSince: T0 + 3000, looks: 1 };
  expect(await notes.noteIdle('crawl', false)).toEqual(begun);
});

test('what was seen is deleted by DynamoDB a week after the last look', async () => {
  const { clock, notes, items } = open();
  await notes.noteIdle('crawl', false);
  await clock.advance(60_000);
  await notes.noteIdle('crawl', false);
  expect(items().map(({ expiresAt }) => Number(expiresAt?.N))).toEqual([(T0 + 60_000) / 1000 + 7 * 86_400]);
});

test('a recount is known until the crawl is busy again, and is not noted of a crawl that is busy', async () => {
  const { notes, items } = open();
  await notes.noteRecounted('crawl');
  expect([await notes.isNoted('crawl'), items()]).toEqual([false, []]);
  const times = { idleSince: T0, quietSince: T0 };
  expect(await notes.noteIdle('crawl', false)).toEqual({ ...times, looks: 1 });
  expect([await notes.isNoted('crawl'), await notes.isNoted('other')]).toEqual([true, false]);
  await notes.noteRecounted('crawl');
  expect(await notes.noteIdle('crawl', false)).toEqual({ ...times, looks: 2, isRecounted: true });
  expect(await notes.noteIdle('crawl', true)).toEqual({ idleSince: T0, looks: 3, isRecounted: true });
  await notes.noteBusy('crawl');
  expect(await notes.isNoted('crawl')).toBe(false);
  expect(await notes.noteIdle('crawl', false)).toEqual({ ...times, looks: 1 });
});

test.each<[string, (notes: QuietNotes) => Promise<unknown>]>([
  ['a look', (notes) => notes.noteIdle('crawl', false)],
  ['a question', (notes) => notes.isNoted('crawl')],
  ['a recount', (notes) => notes.noteRecounted('crawl')],
  ['work', (notes) => notes.noteBusy('crawl')],
])('%s that DynamoDB refuses fails, and is made again if it was throttled', async (_, call) => {
  const { clients } = createServices();
  const clock = { ...createFakeClock(), sleep: async () => {} };
  const errors = ['ThrottlingException', 'AccessDenied'];
  const dynamo = {
    send: async (command: never) => {
      const name = errors.shift();
      if (name) throw Object.assign(new Error(name), { name });
      return clients.dynamo.send(command);
    },
  } as unknown as typeof clients.dynamo;
  const notes = createQuietNotes({ dynamo, table: 'T', clock });
  await expect(call(notes)).rejects.toThrow('AccessDenied');
  await call(notes);
});

test.each<[string, Record<string, number>, number, boolean]>([
  ['at once if no requisite was sent to another host', {}, 0, true],
  ['at once if the counts are 0', { 'requisites.awaited': 0, 'requisites.sent': 0 }, 0, true],
  ['not at once if one was sent', { 'requisites.sent': 1 }, 54_999, false],
  ['55 s after the last commit then', { 'requisites.sent': 1 }, 55_000, true],
  ['not while one is awaited', { 'requisites.awaited': 1, 'requisites.sent': 1 }, 1_199_999, false],
  ['after 20 minutes of that, as the counts must be wrong', { 'requisites.awaited': 1 }, 1_200_000, true],
])('a crawl that begins no page has all of its requisites, or not: %s', (_, counts, idleMs, expected) => {
  expect(isDrained(counts, idleMs, {})).toBe(expected);
});

test('how long is waited for requisites can be set', () => {
  const sent = { 'requisites.sent': 1 };
  expect([99, 100].map((idleMs) => isDrained(sent, idleMs, { settleMs: 100 }))).toEqual([false, true]);
});

const LOOKS = { looks: 16 };
const IDLE = { idleSince: 0, lastAt: 0, looks: 6 };
const ONE_DUE = { quietSince: 0, idleSince: 0, lastAt: 0, hostsDue: 1, ...LOOKS };
const DAY_AHEAD = { quietSince: 0, idleSince: 0, lastAt: 86_400_000, looks: 2 };

test.each<[string, QuietTimes, number, boolean]>([
  ['54 s after the queues were empty', { quietSince: 1, idleSince: 0, lastAt: 0, looks: 2 }, 55_000, false],
  ['55 s after the queues were empty', { quietSince: 0, idleSince: 0, lastAt: 0, looks: 2 }, 55_000, true],
  ['54 s after the last commit', { quietSince: 0, idleSince: 0, lastAt: 1, looks: 2 }, 55_000, false],
  ['7.5 minutes after no host was due, with messages in the queues', IDLE, 450_000, true],
  ['a little earlier', { ...IDLE, idleSince: 1 }, 450_000, false],
  ['7.5 minutes after that, and a commit since', { ...IDLE, lastAt: 1 }, 450_000, false],
  ['7.5 minutes by a clock that was set forward meanwhile', { ...IDLE, looks: 5 }, 450_000, false],
  ['while hosts are due by the counters, as the index may be late', ONE_DUE, 1_199_999, false],
  ['after 20 minutes of that, as the counters must be wrong', ONE_DUE, 1_200_000, true],
  ['though a clock a day ahead has given the time of the last commit', DAY_AHEAD, 55_000, true],
])('a crawl is settled, or not, %s', (_, times, now, expected) => {
  expect(isSettled(times, now, {})).toBe(expected);
});

test('a stack with link shards waits for 20 minutes, in which links may be gathered twice', () => {
  const settled = (now: number) =>
    isSettled({ ...IDLE, ...LOOKS }, now, { sharedSettleMs: SHARDED_SETTLE_MS });
  expect([settled(1_199_999), settled(1_200_000)]).toEqual([false, true]);
});

/** A registry with a crawl, whose queues say that they are empty. `look`: called when they are looked at. */
async function openQuietCrawl(look = async () => {}) {
  const cloud = createSimCloud({ seed: 1 });
  const process = cloud.begin('waker');
  const wait = <T>(promise: Promise<T>) => drive(cloud.time, promise);
  const registry = createRegistry({
    ...{
      dynamo: cloud.clientsOf(process).dynamo,
      clock: process.clock,
      names: cloud.settings,
      settleMs: 10_000,
    },
    async hasMessages() {
      await look();
      return false;
    },
  });
  await wait(registry.create('crawl', RECORD));
  const isQuietAfter = async (ms: number) => {
    await cloud.time.advance(ms);
    return wait(registry.isQuiet('crawl'));
  };
  return { registry, wait, isQuietAfter };
}

test('seeds that were sent keep a crawl from being quiet until the queues must show them', async () => {
  const { registry, wait, isQuietAfter } = await openQuietCrawl();
  expect(await isQuietAfter(0)).toBe(false);
  await isQuietAfter(8000);
  await wait(registry.noteSent?.('crawl') as Promise<void>);
  expect(await isQuietAfter(3000)).toBe(false);
  expect(await isQuietAfter(9000)).toBe(false);
  expect(await isQuietAfter(1000)).toBe(true);
});

test('a crawl that was found quiet is not called finished if seeds were sent since', async () => {
  const { registry, wait, isQuietAfter } = await openQuietCrawl();
  const finish = () =>
    wait(registry.setStatus('crawl', 'finished', undefined, { from: ['running'], isQuiet: true }));
  await isQuietAfter(0);
  expect(await isQuietAfter(10_000)).toBe(true);
  await wait(registry.noteSent?.('crawl') as Promise<void>);
  expect(await finish()).toBe(false);
  expect((await wait(registry.load('crawl')))?.status).toBe('running');
  await isQuietAfter(0);
  expect(await isQuietAfter(10_000)).toBe(true);
  expect(await finish()).toBe(true);
});

test('a head that is committed while the queues are looked at keeps its crawl from being quiet', async () => {
  let commit = async () => {};
  const { registry, isQuietAfter } = await openQuietCrawl(() => commit());
  expect(await isQuietAfter(0)).toBe(false);
  commit = () => registry.onCommit('crawl', undefined, headOf(1));
  expect(await isQuietAfter(20_000)).toBe(false);
  commit = async () => {};
  expect(await isQuietAfter(5000)).toBe(false);
  expect(await isQuietAfter(5000)).toBe(true);
});

test('the time since the last commit has passed if a clock that was ahead gave it; seconds ahead count as none', () => {
  expect(idleFor(86_400_000, 60_000)).toBe(Number.POSITIVE_INFINITY);
  expect(idleFor(65_000, 60_000)).toBe(-5000);
  expect(idleFor(50_000, 60_000)).toBe(10_000);
});

test('times that a clock a day ahead has noted begin again at the next look; a minute ahead is nothing', async () => {
  const { clock, notes } = open();
  clock.set(86_400_000);
  await notes.noteIdle('crawl', false);
  clock.set(-86_400_000);
  expect(await notes.noteIdle('crawl', false)).toEqual({ idleSince: T0, quietSince: T0, looks: 1 });
  clock.set(-60_000);
  expect(await notes.noteIdle('crawl', false)).toEqual({ idleSince: T0, quietSince: T0, looks: 2 });
});

test('a look whose call takes minutes does not begin the times again that another process has noted meanwhile', async () => {
  const { clock, notes, slowNotes } = open();
  const since = T0 + 100_000;
  const slow = slowNotes(async () => {
    await clock.advance(100_000);
    await notes.noteIdle('crawl', false);
    await clock.advance(20_000);
  });
  expect(await slow.noteIdle('crawl', false)).toEqual({ idleSince: since, quietSince: since, looks: 2 });
});

test.each([1, 8])(
  'a crawl is not quiet while any of its hosts is due, in any of %s shards',
  async (dueShards) => {
    for (const host of ['a.test', 'b.test', 'c.test', 'd.test']) {
      const cloud = createSimCloud({ seed: 1 });
      const process = cloud.begin('waker');
      const { dynamo, s3 } = cloud.clientsOf(process);
      const names = { ...cloud.settings, dueShards };
      const { clock } = process;
      const registry = createRegistry({
        dynamo,
        clock,
        names,
        settleMs: 10_000,
        hasMessages: async () => false,
      });
      const ledgers = createLedgerStore({ dynamo, s3, clock, names });
      const wait = <T>(promise: Promise<T>) => drive(cloud.time, promise);
      await wait(registry.create('crawl', RECORD));
      await wait(ledgers.commit('crawl', host, headOf(1, { dueAt: clock.now() })));
      for (let look = 0; look < 30; look++) {
        await cloud.time.advance(60_000);
        expect(await wait(registry.isQuiet('crawl'))).toBe(false);
      }
      await wait(ledgers.commit('crawl', host, headOf(2)));
      for (const isQuiet of [false, true]) {
        await cloud.time.advance(60_000);
        expect(await wait(registry.isQuiet('crawl'))).toBe(isQuiet);
      }
    }
  },
);

/** A waker's registry, which sees only some of the hosts that are due: the index of those may lag. */
function openWaker() {
  const cloud = createSimCloud({ seed: 1 });
  const process = cloud.begin('waker');
  const { dynamo, s3 } = cloud.clientsOf(process);
  const { clock } = process;
  const context = { dynamo, s3, clock };
  const hasMessages = async () => false;
  const registryOf = (dueShards: number) =>
    createRegistry({ ...context, names: { ...cloud.settings, dueShards }, settleMs: 10_000, hasMessages });
  const unseen = ['a.test', 'b.test', 'c.test', 'd.test'].find(
    (host) => dueShardOf('crawl', host, 8) !== dueShardOf('crawl', host, 1),
  ) as string;
  const registry = registryOf(1);
  const ledgers = createLedgerStore({ ...context, names: { ...cloud.settings, dueShards: 8 } });
  const wait = <T>(promise: Promise<T>) => drive(cloud.time, promise);
  /** Returns the results of two looks, one before and one when the crawl has had nothing to do for long enough. */
  async function looks() {
    await wait(registry.noteSent?.('crawl') as Promise<void>);
    const found: boolean[] = [];
    for (let look = 0; look < 2; look++) {
      found.push(await wait(registry.isQuiet('crawl')));
      await cloud.time.advance(10_000);
    }
    return found;
  }
  return { cloud, registry, other: registryOf(1), ledgers, unseen, looks, wait };
}

/** A worker counted a host that is due, and died before it stored the head. */
const WRONG_COUNT = headOf(1, { dueAt: 5 });

test('the counters of a crawl that seems quiet are corrected each time, and its heads as they are then decide', async () => {
  const { registry, ledgers, unseen, looks, wait } = openWaker();
  await wait(registry.create('crawl', RECORD));
  await wait(registry.onCommit('crawl', undefined, WRONG_COUNT));
  await looks();
  expect(await looks()).toEqual([false, true]);
  // A worker stored the head of a host that is due, and died before it counted it.
  await wait(ledgers.commit('crawl', unseen, headOf(1, { dueAt: 5 })));
  expect(await looks()).toEqual([false, false]);
  await wait(ledgers.commit('crawl', unseen, headOf(2)));
  expect(await looks()).toEqual([false, true]);
});

test('the hosts that wait are counted by their heads, whatever the counters say', async () => {
  const cloud = createSimCloud({ seed: 1 });
  const { engine } = cloud.open(cloud.begin('test'));
  const { registry, ledgers } = engine;
  const wait = <T>(promise: Promise<T>) => drive(cloud.time, promise);
  await wait(registry.create('crawl', RECORD));
  expect(await wait(registry.countWaitingHosts('crawl'))).toBe(0);
  await wait(ledgers.commit('crawl', 'a.test', headOf(1, { urls: { waiting: 2 } })));
  await wait(ledgers.commit('crawl', 'b.test', headOf(1, { urls: { fetched: 2 } })));
  // A host has fetched its URL, and its worker died before it counted that.
  await wait(registry.onCommit('crawl', undefined, headOf(1, { urls: { waiting: 1 } })));
  expect((await wait(registry.totals('crawl'))).hostsWaiting).toBe(2);
  expect(await wait(registry.countWaitingHosts('crawl'))).toBe(1);
});
