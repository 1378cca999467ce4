import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import {
  countLateHookFailures,
  createHookErrorLog,
  HOOK_ERRORS_SCHEMA,
  readHookErrors,
} from '../../../../shared/engines/local/items/hook-errors.ts';

const CLOCK = { now: () => 0 };

function openDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(HOOK_ERRORS_SCHEMA);
  return database;
}

test('the first three different errors of each kind of hook are kept, each once, by however many writers', () => {
  const database = openDatabase();
  const [one, other] = [createHookErrorLog(database, CLOCK), createHookErrorLog(database, CLOCK)];
  for (let i = 0; i < 10; i++)
    for (const log of [one, other])
      log.note('c', { source: 'onPage', url: `http://a.test/${i}`, message: `no price ${i}`, stack: 'at x' });
  one.note('c', { source: 'item', url: 'http://a.test/', message: 'no item' });
  other.note('other', { source: 'onPage', url: 'http://a.test/', message: 'of another crawl' });
  expect(readHookErrors(database, 'c')).toEqual([
    ...[0, 1, 2].map((i) => ({
      source: 'onPage',
      url: `http://a.test/${i}`,
      message: `no price ${i}`,
      stack: 'at x',
    })),
    { source: 'item', url: 'http://a.test/', message: 'no item' },
  ]);
});

test('a database that cannot be written to, and one of an earlier version, break nothing', () => {
  const database = openDatabase();
  const log = createHookErrorLog(database, CLOCK);
  database.exec('DROP TABLE hook_errors');
  expect(() => log.note('c', { source: 'onPage', url: 'u', message: 'm' })).not.toThrow();
  expect(readHookErrors(database, 'c')).toEqual([]);
});

test('late failures of several writers are added up, written each second and when a log is closed', () => {
  const database = openDatabase();
  let now = 0;
  const [one, other] = [0, 1].map(() => createHookErrorLog(database, { now: () => now }));
  expect(countLateHookFailures(database, 'c')).toBe(0);
  for (let i = 0; i < 5; i++) for (const log of [one, other]) log?.countLate('c');
  now = 1000;
  one?.countLate('c');
  expect(countLateHookFailures(database, 'c')).toBe(7);
  other?.close();
  expect(countLateHookFailures(database, 'c')).toBe(11);
  database.exec('DROP TABLE late_hook_failures');
  one?.countLate('c');
  expect(() => one?.close()).not.toThrow();
  expect(countLateHookFailures(database, 'c')).toBe(0);
});
