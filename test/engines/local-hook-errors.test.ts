import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import {
  createHookErrorLog,
  HOOK_ERRORS_SCHEMA,
  readHookErrors,
} from '../../shared/engines/local/hook-errors.ts';

function openDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(HOOK_ERRORS_SCHEMA);
  return database;
}

test('the first three different errors of each kind of hook are kept, each once, by however many writers', () => {
  const database = openDatabase();
  const [one, other] = [createHookErrorLog(database), createHookErrorLog(database)];
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
  const log = createHookErrorLog(database);
  database.exec('DROP TABLE hook_errors');
  expect(() => log.note('c', { source: 'onPage', url: 'u', message: 'm' })).not.toThrow();
  expect(readHookErrors(database, 'c')).toEqual([]);
});
