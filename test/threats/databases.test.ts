/** A database in a crawl's folder may be forged: opening it, for reading too, runs nothing of it and ends. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSearchIndex } from '../../api/exports/search-index.ts';
import { listCrawls, openCrawl, resumeCrawl } from '../../api/index.ts';
import { openSqlite } from '../../shared/engines/local/open-sqlite.ts';
import { changeDatabase, type SmallCrawls, smallCrawls } from './small-crawl.ts';

let crawls: SmallCrawls;
beforeAll(async () => {
  crawls = await smallCrawls('127.79.43.1');
});
afterAll(() => crawls.end());

const ENDLESS = 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT';

const FORGED: readonly [string, string][] = [
  [
    'view',
    `ALTER TABLE crawls RENAME TO old; CREATE VIEW crawls AS ${ENDLESS} n AS crawl, n AS record FROM r WHERE n < 0`,
  ],
  ['view', `CREATE VIEW other AS ${ENDLESS} n FROM r`],
  ['trigger', 'CREATE TRIGGER t AFTER UPDATE ON crawls BEGIN DELETE FROM heads; END'],
  [
    'trigger',
    `CREATE TRIGGER t BEFORE INSERT ON heads BEGIN INSERT INTO heads SELECT ${'1,'.repeat(4)} 1; END`,
  ],
  ['table', 'CREATE VIRTUAL TABLE words USING fts5(a)'],
  ['table', "CREATE VIRTUAL TABLE d USING dbstat('main')"],
  ['generated column', 'CREATE TABLE g (a, b AS (hex(zeroblob(1000000))))'],
  ['generated column', 'CREATE TABLE g (a, b AS (a || a) STORED)'],
];

describe.each(FORGED)('a %s that somebody else has made: %s', (kind, sql) => {
  test('keeps the folder from being opened, and is named', async () => {
    const folder = crawls.copied();
    changeDatabase(folder, sql);
    const message = new RegExp(`crawl.sqlite has the ${kind}.*which Strand never makes`);
    await expect(openCrawl(folder)).rejects.toThrow(message);
    await expect(resumeCrawl(folder, { maxPages: 9 }).then(({ done }) => done)).rejects.toThrow(message);
    expect(await listCrawls(folder)).toMatchObject([{ state: 'unreadable', reason: message }]);
  });
});

test.each(['state.sqlite', 'sketches.sqlite', 'sinks.sqlite', 'search.sqlite'])(
  'the same holds of %s',
  (name) => {
    const folder = crawls.copied();
    const path = join(folder, name);
    const database = new DatabaseSync(path);
    database.exec(`CREATE VIEW state AS ${ENDLESS} n AS key, n AS value FROM r`);
    database.close();
    const open = name === 'search.sqlite' ? openSearchIndex : openSqlite;
    expect(() => open(path)).toThrow(/has the view "state"/);
  },
);

test('an index of words has full text, and nothing else that is virtual', () => {
  const path = join(crawls.copied(), 'search.sqlite');
  openSearchIndex(path).close();
  openSearchIndex(path).close();
  const database = new DatabaseSync(path);
  database.exec("CREATE VIRTUAL TABLE d USING dbstat('main')");
  database.close();
  expect(() => openSearchIndex(path)).toThrow(/has the table "d"/);
});

/** The journal of a transaction that was interrupted, with the name of a super-journal at its end. */
function plantedJournal(path: string, victim: string): void {
  const name = Buffer.from(victim);
  const end = Buffer.alloc(16);
  end.writeUInt32BE(name.length, 0);
  end.writeUInt32BE(
    name.reduce((sum, byte) => sum + byte, 0),
    4,
  );
  end.write('d9d505f920a163d7', 8, 'hex');
  const writer = new DatabaseSync(path);
  writer.exec('PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; CREATE TABLE x (y)');
  for (let i = 0; i < 20; i++) writer.exec(`INSERT INTO x VALUES ('${'x'.repeat(4000)}')`);
  writer.exec("BEGIN; UPDATE x SET y = y || '1'");
  const [database, journal] = [path, `${path}-journal`].map((file) => readFileSync(file));
  writer.close();
  writeFileSync(path, database!);
  writeFileSync(`${path}-journal`, Buffer.concat([journal!, Buffer.alloc(4), name, end]));
}

test.each(['crawl.sqlite', 'lock', 'state.sqlite', 'sinks.sqlite'])(
  'a journal beside %s that names a file of yours deletes nothing',
  async (name) => {
    const folder = crawls.copied();
    const victim = join(folder, '..', 'precious.txt');
    writeFileSync(victim, 'mine');
    const path = join(folder, name);
    if (name !== 'crawl.sqlite') rmSync(path, { force: true });
    plantedJournal(path, victim);
    const open = async () => {
      if (name.endsWith('s.sqlite') || name === 'state.sqlite') openSqlite(path).close();
      await (await resumeCrawl(folder, { maxPages: 9 })).done;
    };
    await expect(open()).rejects.toThrow(`${name}-journal names another file`);
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  },
);

test('no function of the schema may do more than compute', () => {
  const database = openSqlite(join(crawls.copied(), 'crawl.sqlite'));
  expect(database.prepare('PRAGMA trusted_schema').get()).toEqual({ trusted_schema: 0 });
  database.close();
});
