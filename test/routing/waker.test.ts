import { expect, test } from 'vitest';
import { parseConfig } from '../../shared/crawl/config.ts';
import type { Crawls } from '../../shared/crawl-state/crawls.ts';
import { NEW_HEAD } from '../../shared/frontier/head.ts';
import type { Message } from '../../shared/frontier/message.ts';
import { wakeAllHosts, wakeDueHosts, wakeResumed } from '../../shared/routing/waker.ts';
import { SIZES } from '../../shared/sizes.ts';
import { createFakeClock } from '../worker/fake-clock.ts';

const WAKE_BATCH = SIZES.wakeBatch;

function open(status = 'running', isAtLimit = false) {
  const clock = createFakeClock();
  const due: { host: string; version: number }[] = [];
  const asked: number[] = [];
  const sent: string[][] = [];
  const engine = {
    clock,
    ledgers: {
      dueHosts: async (_crawl: string, _now: number, limit: number) => {
        asked.push(limit);
        return due.slice(0, limit);
      },
    },
    queue: {
      send: async (messages: readonly { host: string; message: Message }[]) => {
        sent.push(messages.map(({ host, message }) => `${message.kind} ${host}`));
      },
    },
  };
  const config = parseConfig({});
  const crawl = {
    status,
    config,
    budget: { metLimit: () => (isAtLimit ? { status: 'limited' } : undefined) },
  };
  const crawls = { get: async () => crawl } as unknown as Crawls;
  const woken = new Map();
  const wake = () => wakeDueHosts(engine as never, crawls, 'crawl', woken);
  return { clock, due, asked, sent, woken, wake, engine };
}

test('hosts that are due are woken, all in one call, and counted', async () => {
  const { due, sent, wake } = open();
  due.push({ host: 'a', version: 1 }, { host: 'b', version: 7 });
  expect(await wake()).toBe(2);
  expect(sent).toEqual([['wake a', 'wake b']]);
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

const head = (waiting: number, isSetAside = false) => ({
  ...NEW_HEAD,
  ledger: { ...NEW_HEAD.ledger, counts: { ...NEW_HEAD.ledger.counts, waiting } },
  ...(isSetAside && { setAside: { cause: { code: 'other' as const, text: 'dead' }, at: 1 } }),
});

test('resuming wakes the hosts that have URLs waiting and those that were given up', async () => {
  const { sent, engine } = open();
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
  expect(sent.slice(1)).toEqual([['wake waits'], ['wake given-up']]);
});

test('resuming wakes the hosts with known pages if the crawl is to recrawl now, and those with due ones if no more', async () => {
  const { sent, engine } = open();
  const counts = { ...NEW_HEAD.ledger.counts, fetched: 3 };
  const known = { ...NEW_HEAD, ledger: { ...NEW_HEAD.ledger, counts } };
  const hosts = [
    { host: 'empty', head: head(0) },
    { host: 'known', head: known },
    { host: 'recrawls', head: { ...known, dueAt: 9, recrawl: { pool: [0, 0, 0] } } },
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
