import { expect, test } from 'vitest';
import { SIZES } from '../../../shared/core/base/sizes.ts';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import type { Message } from '../../../shared/core/frontier/message.ts';
import type { Crawls } from '../../../shared/crawler/crawl-state/crawls.ts';
import { wakeAllHosts, wakeDueHosts, wakeResumed } from '../../../shared/crawler/routing/waker.ts';
import { lastDueAt } from '../../../shared/crawler/turn/next-turn.ts';
import { createFakeClock, T0 } from '../worker/fake-clock.ts';

const WAKE_BATCH = SIZES.wakeBatch;

function open(status = 'running', isAtLimit = false, sendMs = 0) {
  const clock = createFakeClock();
  const due: { host: string; version: number }[] = [];
  const asked: number[] = [];
  const asks: unknown[][] = [];
  const sent: string[][] = [];
  const messages: unknown[] = [];
  const engine = {
    clock,
    ledgers: {
      dueHosts: async (...args: [crawl: string, now: number, limit: number, lastDueAt: number]) => {
        const [, , limit] = args;
        asked.push(limit);
        asks.push(args);
        return due.slice(0, limit);
      },
    },
    queue: {
      send: async (batch: readonly { host: string; message: Message }[]) => {
        await clock.sleep(sendMs);
        sent.push(batch.map(({ host, message }) => `${message.kind} ${host}`));
        messages.push(...batch.map(({ message }) => message));
      },
    },
  };
  const config = parseConfig({});
  const crawl = {
    status,
    config,
    budget: { metLimit: () => (isAtLimit ? { status: 'limited' } : undefined) },
  };
  const crawls = { get: async (id: string) => (id === 'crawl' ? crawl : undefined) } as unknown as Crawls;
  const woken = new Map();
  const wake = (id = 'crawl') => wakeDueHosts(engine as never, crawls, id, woken);
  return { clock, due, asked, asks, sent, messages, woken, wake, engine, config };
}

test('hosts that are due are woken, all in one call, and counted', async () => {
  const { due, sent, wake } = open();
  due.push({ host: 'a', version: 1 }, { host: 'b', version: 7 });
  expect(await wake()).toBe(2);
  expect(sent).toEqual([['wake a', 'wake b']]);
});

test('the message of a wake-up names its crawl, and is not that of a resume', async () => {
  const { due, messages, wake } = open();
  due.push({ host: 'a', version: 1 });
  await wake();
  expect(messages).toEqual([{ kind: 'wake', crawl: 'crawl' }]);
});

test('the ledgers are asked for the hosts that are due now, but for times that no clock that runs right gives', async () => {
  const { clock, asks, wake, config } = open();
  await wake();
  await clock.advance(5000);
  await wake();
  expect(asks).toEqual([T0, T0 + 5000].map((now) => ['crawl', now, WAKE_BATCH, lastDueAt(config, now)]));
});

test('where nobody is due, nothing is sent, and no host of a crawl that nobody knows is', async () => {
  const { due, sent, asked, wake } = open();
  expect(await wake()).toBe(0);
  due.push({ host: 'a', version: 1 });
  expect(await wake('gone')).toBe(0);
  expect([sent, asked]).toEqual([[], [WAKE_BATCH]]);
});

test('a wake-up is over when its messages are sent, and counts from the look at the ledgers', async () => {
  const { clock, due, sent, woken, wake } = open('running', false, 60_000);
  due.push({ host: 'a', version: 3 });
  const waking = wake();
  await clock.advance(59_999);
  expect([sent, woken.size]).toEqual([[], 0]);
  await clock.advance(1);
  expect(await waking).toBe(1);
  expect([...woken]).toEqual([['a', { version: 3, at: T0 }]]);
});

test('a host is woken again after five minutes, or at once when it has had a turn', async () => {
  const { clock, due, sent, wake } = open();
  due.push({ host: 'a', version: 1 });
  await wake();
  await clock.advance(300_000);
  expect(await wake()).toBe(0);
  await clock.advance(1);
  expect(await wake()).toBe(1);
  due[0] = { host: 'a', version: 2 };
  expect(await wake()).toBe(1);
  expect(sent).toHaveLength(3);
});

test('a host that is not due any more is forgotten: when it is due again it is woken', async () => {
  const { due, woken, wake } = open();
  due.push({ host: 'a', version: 1 }, { host: 'b', version: 1 });
  await wake();
  due.shift();
  await wake();
  expect([...woken.keys()]).toEqual(['b']);
  due.push({ host: 'a', version: 1 });
  expect(await wake()).toBe(1);
});

test('those that were woken and have not come to their turn take no place of others', async () => {
  const { due, asked, wake } = open();
  for (let i = 0; i < WAKE_BATCH + 3; i++) due.push({ host: `h${i}`, version: 1 });
  expect([await wake(), await wake(), await wake()]).toEqual([WAKE_BATCH, 3, 0]);
  expect(asked).toEqual([WAKE_BATCH, 2 * WAKE_BATCH, 2 * WAKE_BATCH + 3]);
});

test('hosts that have messages count as woken, and are sent none', async () => {
  const { due, sent, asked, engine, woken, wake } = open();
  due.push({ host: 'a', version: 1 }, { host: 'b', version: 1 });
  Object.assign(engine.queue, { withoutMessages: (hosts: string[]) => hosts.filter((host) => host !== 'a') });
  expect(await wake()).toBe(2);
  expect(sent).toEqual([['wake b']]);
  expect([...woken.keys()]).toEqual(['a', 'b']);
  due.push({ host: 'c', version: 1 });
  Object.assign(engine.queue, { withoutMessages: () => [] });
  expect(await wake()).toBe(1);
  expect(sent).toEqual([['wake b']]);
  expect(asked).toEqual([WAKE_BATCH, WAKE_BATCH + 2]);
});

test('a failed sending wakes nobody, so that the next look does', async () => {
  const { due, engine, wake } = open();
  due.push({ host: 'a', version: 1 });
  const { send } = engine.queue;
  engine.queue.send = () => Promise.reject(new Error('throttled'));
  await expect(wake()).rejects.toThrow('throttled');
  engine.queue.send = send;
  expect(await wake()).toBe(1);
});

test.each([
  ['that is paused', 'paused', false],
  ['that has met a limit', 'running', true],
])('no host of a crawl %s is woken', async (_, status, isAtLimit) => {
  const { due, sent, asked, wake } = open(status, isAtLimit);
  due.push({ host: 'a', version: 1 });
  expect(await wake()).toBe(0);
  expect([sent, asked]).toEqual([[], []]);
});

test('hosts of a crawl whose pages are limited are woken while requisites are awaited', async () => {
  const { due, engine, asked } = open();
  const draining = {
    status: 'running',
    config: parseConfig({ requisites: true }),
    budget: { metLimit: () => ({ status: 'limited', allowsRequisites: true }) },
  };
  due.push({ host: 'a', version: 1 });
  const crawls = { get: async () => draining } as unknown as Crawls;
  expect(await wakeDueHosts(engine as never, crawls, 'crawl', new Map())).toBe(1);
  expect(asked).toHaveLength(1);
});

const FETCHED = { ...NEW_HEAD.ledger.counts, fetched: 3 };
const head = (waiting: number, isSetAside = false) => ({
  ...NEW_HEAD,
  ledger: { ...NEW_HEAD.ledger, counts: { ...NEW_HEAD.ledger.counts, waiting } },
  ...(isSetAside && { setAside: { cause: { code: 'other' as const, text: 'dead' }, at: 1 } }),
});

test('resuming wakes the hosts that have URLs waiting and those that were given up', async () => {
  const { sent, engine, messages } = open();
  const hosts = [
    { host: 'waits', head: head(1) },
    { host: 'done', head: head(0) },
    { host: 'given-up', head: head(0, true) },
  ];
  await wakeResumed(engine.queue, 'crawl', hosts, { resume: 1 });
  await wakeResumed(engine.queue, 'crawl', hosts.slice(1, 2), { resume: 1 });
  expect(sent).toEqual([['wake waits', 'wake given-up']]);
  const ledgers = {
    async *hosts() {
      yield* hosts;
    },
  };
  await wakeAllHosts({ ...engine, ledgers } as never, 'crawl', 2);
  expect(sent.slice(1)).toEqual([['wake waits', 'wake given-up']]);
  const message = (resume: number) => ({ kind: 'wake', crawl: 'crawl', resume });
  expect(messages).toEqual([message(1), message(1), message(2), message(2)]);
});

test('the resume of a crawl with very many hosts sends them in batches, one after the other', async () => {
  const { clock, engine, sent } = open('running', false, 1000);
  const ledgers = {
    async *hosts(crawl: string) {
      for (const host of 'abcde') yield { host: `${host} of ${crawl}`, head: head(1) };
    },
  };
  const woken = wakeAllHosts({ ...engine, ledgers, sizes: { wakeBatch: 2 } } as never, 'crawl', 1);
  const counts: number[] = [];
  for (let i = 0; i < 3; i++) {
    await clock.advance(1000);
    counts.push(sent.length);
  }
  await woken;
  expect(counts).toEqual([1, 2, 3]);
  expect(sent).toEqual([
    ['wake a of crawl', 'wake b of crawl'],
    ['wake c of crawl', 'wake d of crawl'],
    ['wake e of crawl'],
  ]);
});

test('a resume that cannot send to a host fails, so that it is tried again', async () => {
  const { engine } = open();
  engine.queue.send = () => Promise.reject(new Error('throttled'));
  const ledgers = {
    async *hosts() {
      yield { host: 'a', head: head(1) };
    },
  };
  await expect(wakeAllHosts({ ...engine, ledgers } as never, 'crawl', 1)).rejects.toThrow('throttled');
});

test('a crawl that is switched on by its resume has the hosts woken whose pages are known', async () => {
  const { engine, sent } = open();
  const ledgers = {
    async *hosts() {
      yield { host: 'known', head: { ...NEW_HEAD, ledger: { ...NEW_HEAD.ledger, counts: FETCHED } } };
    },
  };
  const config = { recrawl: 'changes', recrawlEveryMs: undefined, recrawlSchedule: undefined } as const;
  await wakeAllHosts({ ...engine, ledgers } as never, 'crawl', 1);
  expect(sent).toEqual([]);
  await wakeAllHosts({ ...engine, ledgers } as never, 'crawl', 2, config);
  expect(sent).toEqual([['wake known']]);
});

test('resuming wakes the hosts with known pages if the crawl is to recrawl now, and those with due ones if no more', async () => {
  const { sent, engine } = open();
  const known = { ...NEW_HEAD, ledger: { ...NEW_HEAD.ledger, counts: FETCHED } };
  const hosts = [
    { host: 'empty', head: head(0) },
    { host: 'known', head: known },
    { host: 'recrawls', head: { ...known, dueAt: 9, recrawl: { pool: [0, 0, 0] } } },
    { host: 'not-due', head: { ...known, recrawl: { pool: [0, 0, 0] } } },
    { host: 'due-once', head: { ...known, ledger: NEW_HEAD.ledger, dueAt: 9 } },
    { host: 'off', head: { ...known, recrawl: { pool: [0, 0, 0], isOff: true } } },
  ] as const;
  const woken = async (recrawl: 'changes' | 'off') => {
    await wakeResumed(engine.queue, 'crawl', hosts, {
      resume: 1,
      config: { recrawl, recrawlEveryMs: undefined, recrawlSchedule: undefined },
    });
    return sent.pop();
  };
  expect(await woken('changes')).toEqual(['wake known', 'wake off']);
  expect(await woken('off')).toEqual(['wake recrawls']);
});
