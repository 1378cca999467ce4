import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Skip } from '../../shared/crawler/ports/skip-log.ts';
import {
  createSkipLog,
  readSkips,
  SKIPS_SCHEMA,
  skipsBeyond,
} from '../../shared/engines/local/items/skip-log.ts';

function newDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(SKIPS_SCHEMA);
  return database;
}

const skip = (n: number, reason = 'scope'): Skip => ({ url: `https://a.example/${n}`, reason });

test('each link left out is kept once, in the order in which they were first met', () => {
  const skips = fc.array(fc.record({ n: fc.nat(20), reason: fc.constantFrom('scope', 'exclude', 'trap') }), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(skips, fc.integer({ min: 1, max: 10 }), (given, batch) => {
      const database = newDatabase();
      const log = createSkipLog(database, { batch });
      for (const { n, reason } of given) log.note('c', { ...skip(n, reason), via: 'https://a.example/' });
      log.close();
      const expected = new Set(given.map(({ n, reason }) => `${skip(n).url} ${reason}`));
      const kept = [...readSkips(database, 'c')];
      expect(kept.map(({ url, reason }) => `${url} ${reason}`)).toEqual([...expected]);
      expect(kept.every(({ via }) => via === 'https://a.example/')).toBe(true);
      database.close();
    }),
    { numRuns: 50 },
  );
});

test('a link is another one for another crawl, and has no page where none was named', () => {
  const database = newDatabase();
  const log = createSkipLog(database);
  log.note('a', skip(1));
  log.note('b', skip(1));
  log.note('b', skip(2));
  log.flush();
  expect([...readSkips(database, 'a')]).toEqual([skip(1)]);
  expect([...readSkips(database, 'b')]).toEqual([skip(1), skip(2)]);
});

test('a cause is kept where there is one, also when the link comes again', () => {
  const database = newDatabase();
  const log = createSkipLog(database, { batch: 1 });
  log.note('c', skip(1));
  log.note('c', {
    ...skip(2, 'linksPerPage'),
    cause: { code: 'linksDropped', links: 7, detail: 'more than 5 links' },
  });
  log.note('c', {
    ...skip(2, 'linksPerPage'),
    cause: { code: 'linksDropped', links: 7, detail: 'more than 5 links' },
  });
  expect([...readSkips(database, 'c')]).toEqual([
    skip(1),
    { ...skip(2, 'linksPerPage'), cause: { code: 'linksDropped', links: 7, detail: 'more than 5 links' } },
  ]);
});

test('the links of a crawl of an earlier program are listed, too', () => {
  const database = newDatabase();
  const log = createSkipLog(database, { batch: 1 });
  log.note('c', skip(1));
  database.exec('DROP TABLE skip_causes');
  expect([...readSkips(database, 'c')]).toEqual([skip(1)]);
});

test('what an earlier session or another thread has noted is not noted again', () => {
  const database = newDatabase();
  for (const log of [createSkipLog(database), createSkipLog(database)]) {
    for (let n = 0; n < 10; n++) log.note('c', skip(n));
    log.close();
  }
  expect([...readSkips(database, 'c')]).toHaveLength(10);
});

test('when it is full, further links are counted, and those that it knows are not', () => {
  const database = newDatabase();
  const log = createSkipLog(database, { maxRows: 5 });
  for (let n = 0; n < 8; n++) log.note('c', skip(n));
  log.flush();
  expect([...readSkips(database, 'c')]).toEqual([0, 1, 2, 3, 4].map((n) => skip(n)));
  expect(skipsBeyond(database, 'c')).toBe(3);
  const next = createSkipLog(database, { maxRows: 5 });
  next.note('c', skip(2));
  next.note('c', skip(9));
  next.flush();
  expect(skipsBeyond(database, 'c')).toBe(4);
});

test('of a URL without end its beginning is kept', () => {
  const database = newDatabase();
  const log = createSkipLog(database);
  log.note('c', { url: `https://a.example/${'x'.repeat(60_000)}`, reason: 'urlLength' });
  log.flush();
  expect([...readSkips(database, 'c')][0]?.url).toHaveLength(4096);
});

test('a database that cannot be written to costs the crawl nothing, and what was gathered is written later', () => {
  const database = newDatabase();
  const log = createSkipLog(database, { batch: 2 });
  database.exec('PRAGMA query_only = ON');
  for (let n = 0; n < 5; n++) log.note('c', skip(n));
  log.close();
  expect(() => log.flush()).toThrow(/readonly/);
  database.exec('PRAGMA query_only = OFF');
  log.flush();
  expect([...readSkips(database, 'c')]).toHaveLength(5);
});

test('of a database without the table nothing is read', () => {
  const database = new DatabaseSync(':memory:');
  expect([...readSkips(database, 'c')]).toEqual([]);
  expect(skipsBeyond(database, 'c')).toBe(0);
});
