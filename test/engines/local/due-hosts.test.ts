/** The look at the hosts that are due: once a second, in crawls of very many hosts. */
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { openMemoryDatabase } from '../../../shared/engines/local/database.ts';
import { createLedgerStore } from '../../../shared/engines/local/ledger-store.ts';
import { createRegistry } from '../../../shared/engines/local/registry.ts';
import { createTurnQueue } from '../../../shared/engines/local/turn-queue.ts';
import { steadyClock } from '../../../shared/engines/steady-clock.ts';

const CRAWL = 'c';
const database = openMemoryDatabase();
afterEach(() => {
  for (const table of ['heads', 'messages']) database.exec(`DELETE FROM ${table}`);
});

/** The database, whose prepared statements are noted. */
function noting(): { readonly database: DatabaseSync; readonly statements: string[] } {
  const statements: string[] = [];
  const prepare = (sql: string) => {
    statements.push(sql);
    return database.prepare(sql);
  };
  return { database: { prepare } as unknown as DatabaseSync, statements };
}

const planOf = (sql: string): string =>
  database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...Array.from(sql.matchAll(/\?/g), () => 1))
    .map(({ detail }) => detail)
    .join('; ');

test('each look for the hosts that are due reads the index of due times, not all heads', () => {
  const noted = noting();
  createLedgerStore(noted.database, undefined);
  createRegistry(noted.database, () => false);
  const looks = noted.statements.filter((sql) => /due_at (?:<=|>) |min\(due_at\)/.test(sql));
  expect(looks).toHaveLength(3);
  for (const sql of looks) expect(planOf(sql)).toMatch(/^SEARCH heads USING (?:COVERING )?INDEX due /);
});

test('hosts that are due come first, and then those that no clock can have set so late, within one limit', async () => {
  const store = createLedgerStore(database, undefined);
  for (const [host, dueAt] of Object.entries({ far: 90_000, second: 20, first: 10, later: 500, next: 50 }))
    await store.commit(CRAWL, host, { ...NEW_HEAD, version: 1, dueAt });
  const due = async (limit: number, farAfter?: number) =>
    (await store.dueHosts(CRAWL, 100, limit, farAfter)).map(({ host }) => host);
  expect(await due(10, 1000)).toEqual(['first', 'second', 'next', 'far']);
  expect(await due(3, 1000)).toEqual(['first', 'second', 'next']);
  expect(await due(10)).toEqual(['first', 'second', 'next']);
  expect(await due(10, 0)).toEqual(['first', 'second', 'next', 'later', 'far']);
});

test('a host has messages until the last one is acknowledged, also while it is with a worker or parked', async () => {
  const queue = createTurnQueue(database, steadyClock);
  const hasMessages = () => queue.withoutMessages(['a', 'b']).length === 1;
  expect(hasMessages()).toBe(false);
  await queue.send([{ host: 'a', message: { kind: 'wake', crawl: CRAWL } }]);
  expect(queue.withoutMessages(['a', 'b'])).toEqual(['b']);
  const [received] = await queue.receive(1, 0);
  await queue.park(received!, 10);
  expect(hasMessages()).toBe(true);
  const [again] = await queue.receive(1, 5000);
  expect(hasMessages()).toBe(true);
  await queue.acknowledge(again!, again!.deliveries);
  expect(hasMessages()).toBe(false);
  queue.close();
});

test('a worker that does not know of a message is notified by the next look, in this thread or another one', async () => {
  const notified: string[] = [];
  const queue = createTurnQueue(database, steadyClock, {
    serves: (host) => host === 'own',
    onOthers: (hosts) => notified.push(...hosts),
  });
  const other = createTurnQueue(database, steadyClock);
  await other.send(
    ['own', 'others'].map((host) => ({ host, message: { kind: 'wake', crawl: CRAWL } as const })),
  );
  expect(await queue.receive(2, 0)).toEqual([]);
  expect(queue.withoutMessages(['own', 'others', 'none'])).toEqual(['none']);
  expect((await queue.receive(2, 0)).map(({ host }) => host)).toEqual(['own']);
  expect(notified).toEqual(['others']);
  for (const one of [queue, other]) one.close();
});
