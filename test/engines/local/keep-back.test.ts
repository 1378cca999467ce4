/** Hosts that were with a worker when it died, whose last request is unknown. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CrawlOptions, parseConfig } from '../../../shared/core/crawl/config.ts';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { openDatabase } from '../../../shared/engines/local/database.ts';
import { createKeepBack } from '../../../shared/engines/local/keep-back.ts';
import { createLedgerStore } from '../../../shared/engines/local/ledger-store.ts';
import { createTurnQueue } from '../../../shared/engines/local/turn-queue.ts';
import { systemClock } from '../../../shared/engines/system-clock.ts';

const HOSTS = ['died.test', 'parked.test', 'waits.test'];

/** The one of the fake timers. */
const clock = { ...systemClock, now: () => Date.now() };

let folder: string;
let database: DatabaseSync;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-keep-back-'));
  database = openDatabase(join(folder, 'crawl.sqlite'), 'write');
});
afterEach(() => {
  vi.useRealTimers();
  database.close();
  rmSync(folder, { recursive: true });
});

test('a host that was with a worker is handed out only after its rest, any other at once', async () => {
  vi.useFakeTimers();
  const before = createTurnQueue(database, systemClock);
  await before.send(HOSTS.map((host) => ({ host, message: { kind: 'token', crawl: 'c', token: 't' } })));
  for (const received of await before.receive(2, 0))
    if (received.host === 'parked.test') await before.park(received, 0);
  before.close();
  const onKeptBack = vi.fn();
  const after = createTurnQueue(database, systemClock, { keepBackMs: () => 30_000, onKeptBack });
  expect(onKeptBack.mock.calls).toEqual([[1, 30_000]]);
  const now = await after.receive(10, 0);
  expect(now.map(({ host }) => host).sort()).toEqual(['parked.test', 'waits.test']);
  vi.advanceTimersByTime(29_999);
  expect(await after.receive(10, 0)).toEqual([]);
  vi.advanceTimersByTime(1);
  const [late] = await after.receive(10, 0);
  expect([late?.host, late?.deliveries[0]?.receiveCount]).toEqual(['died.test', 2]);
  after.close();
});

test('a host that was parked rests on after a restart, until the time for which it was parked', async () => {
  vi.useFakeTimers();
  const before = createTurnQueue(database, clock);
  await before.send([{ host: 'parked.test', message: { kind: 'token', crawl: 'c', token: 't' } }]);
  const [received] = await before.receive(1, 0);
  await before.park(received!, 40_000);
  before.close();
  vi.advanceTimersByTime(10_000);
  const after = createTurnQueue(database, clock, { keepBackMs: () => 5000 });
  vi.advanceTimersByTime(29_999);
  expect(await after.receive(10, 0)).toEqual([]);
  vi.advanceTimersByTime(1);
  expect((await after.receive(10, 0)).map(({ host }) => host)).toEqual(['parked.test']);
  after.close();
});

test('a host that was parked by a clock that was set back since rests for two hours at most', async () => {
  vi.useFakeTimers();
  const before = createTurnQueue(database, clock);
  await before.send([{ host: 'parked.test', message: { kind: 'token', crawl: 'c', token: 't' } }]);
  const [received] = await before.receive(1, 0);
  await before.park(received!, 40_000);
  before.close();
  vi.setSystemTime(Date.now() - 30 * 86_400_000);
  const after = createTurnQueue(database, clock);
  vi.advanceTimersByTime(2 * 3_600_000);
  expect((await after.receive(10, 0)).map(({ host }) => host)).toEqual(['parked.test']);
  after.close();
});

test('its rest is that after the longest request, by the settings of the host and what its robots.txt asks', async () => {
  const ledgers = createLedgerStore(database, join(folder, 'ledgers'));
  await ledgers.commit('c', 'slow.test', {
    ...NEW_HEAD,
    version: 1,
    robots: [{ origin: 'http://slow.test', kind: 'allowAll', expiresAt: 0, crawlDelayMs: 7000 }],
  });
  const restOf = (host: string, options: CrawlOptions) =>
    createKeepBack(database, 'c', parseConfig(options))(host);
  expect(restOf('any.test', {})).toBe(30_000);
  const plain = { adaptive: false, delayMs: 2000, overrides: [{ hosts: ['own.test'], delayMs: 50 }] };
  expect(restOf('any.test', plain)).toBe(2000);
  expect(restOf('own.test', plain)).toBe(50);
  expect(restOf('slow.test', plain)).toBe(7000);
  expect(createKeepBack(database, 'c', parseConfig({}), 12_000)('any.test')).toBe(18_000);
  // The longest body, 100 kB and what comes besides, at 12 kB/s; but five minutes at most.
  const bytes = { maxBodyBytes: 100_000, maxHeaderBytes: 100_000, maxBytesPerSecondPerHost: 12_000 };
  expect(restOf('any.test', bytes)).toBe(100_000);
  expect(restOf('any.test', { ...bytes, maxBytesPerSecondPerHost: 1000 })).toBe(300_000);
  expect(createKeepBack(database, 'c', parseConfig(bytes), 90_000)('any.test')).toBe(10_000);
  expect(createKeepBack(database, 'c', parseConfig({}), 31_000)('any.test')).toBe(0);
});

test('if a lease ends while the database fails, the next receive throws the error, and no timer does', async () => {
  vi.useFakeTimers();
  const queue = createTurnQueue(database, clock, { leaseMs: 1000 });
  const message = { kind: 'links', crawl: 'c', links: [] } as const;
  await queue.send([{ host: 'a.test', message }]);
  await queue.receive(1, 0);
  database.close();
  vi.advanceTimersByTime(2000);
  await expect(queue.receive(1, 0)).rejects.toThrow(/not open/);
  database = openDatabase(join(folder, 'crawl.sqlite'), 'join');
});
