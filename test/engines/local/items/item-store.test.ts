import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../../../../shared/engines/local/database.ts';
import {
  createItemStage,
  createItemStore,
  ITEMS_SCHEMA,
} from '../../../../shared/engines/local/items/item-store.ts';

/**
 * The process is killed before its `stepsLeft`th step; every later step of it fails, so nothing of it
 * continues.
 */
const power = vi.hoisted(() => ({
  stepsLeft: Number.POSITIVE_INFINITY,
  step() {
    if (power.stepsLeft-- <= 0) throw new Error('killed');
  },
}));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const stepping = <F extends (...given: never[]) => unknown>(call: F): F =>
    ((...given: never[]) => {
      power.step();
      return call(...given);
    }) as F;
  return {
    ...fs,
    openSync: stepping(fs.openSync),
    ftruncateSync: stepping(fs.ftruncateSync),
    fsyncSync: stepping(fs.fsyncSync),
    fdatasyncSync: stepping(fs.fdatasyncSync),
    fdatasync: (_fd: number, done: (error: Error | null) => void) => {
      try {
        power.step();
        done(null);
      } catch (error) {
        done(error as Error);
      }
    },
    /** Half of it first, as a disk may. */
    writeSync(fd: number, bytes: Uint8Array, from: number, length: number, at: number) {
      power.step();
      return fs.writeSync(fd, bytes, from, Math.ceil(length / 2), at);
    },
  };
});

/** The database, each change of which is a step. */
function stepping(database: DatabaseSync): DatabaseSync {
  return {
    exec(sql: string) {
      power.step();
      database.exec(sql);
    },
    prepare(sql: string) {
      const statement: StatementSync = database.prepare(sql);
      return {
        get: (...values: string[]) => statement.get(...values),
        all: (...values: string[]) => statement.all(...values),
        run(...values: string[]) {
          power.step();
          return statement.run(...values);
        },
      };
    },
  } as unknown as DatabaseSync;
}

let folder: string;
let file: string;
const opened: DatabaseSync[] = [];
beforeEach(() => {
  power.stepsLeft = Number.POSITIVE_INFINITY;
  folder = mkdtempSync(join(tmpdir(), 'strand-items-'));
  file = join(folder, 'items.jsonl');
});
afterEach(() => {
  power.stepsLeft = Number.POSITIVE_INFINITY;
  for (const database of opened.splice(0)) database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A connection to the crawl's database, as a process or a thread of one has it. */
function connect(): DatabaseSync {
  const database = openDatabase(join(folder, 'crawl.sqlite'), 'write');
  database.exec(ITEMS_SCHEMA);
  opened.push(database);
  return database;
}

/** Commits a head, like the ledger store. */
const commit = (database: DatabaseSync, host: string, version: number) =>
  database
    .prepare(`INSERT OR REPLACE INTO heads (crawl, host, version, head) VALUES ('c', ?, ?, '{}')`)
    .run(host, version);

const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []);
const staged = (database: DatabaseSync) =>
  database.prepare('SELECT count(*) AS count FROM staged_items').get()?.count;

describe('items', () => {
  test('are in the file once their turn is committed and published', async () => {
    const database = connect();
    const store = createItemStore(database, file);
    expect(existsSync(file)).toBe(false);
    await store.stage('c', 'a.test', 1, ['{"n":1}', '{"n":2}']);
    expect(lines()).toEqual([]);
    commit(database, 'a.test', 1);
    await store.publish('c', 'a.test', 1);
    expect(lines()).toEqual(['{"n":1}', '{"n":2}']);
    await store.publish('c', 'a.test', 1);
    await store.close();
    expect(lines()).toHaveLength(2);
    expect(staged(database)).toBe(0);
  });

  test.each([
    ['removed', () => rmSync(file)],
    [
      'replaced',
      () => {
        rmSync(file);
        writeFileSync(file, '{"other":1}\n');
      },
    ],
  ])('are kept where they were if the file was %s meanwhile, and that ends the crawl', async (_, lose) => {
    const database = connect();
    const store = createItemStore(database, file);
    await store.stage('c', 'a.test', 1, ['1']);
    commit(database, 'a.test', 1);
    await store.publish('c', 'a.test', 1);
    lose();
    await store.stage('c', 'a.test', 2, ['2']);
    commit(database, 'a.test', 2);
    await expect(store.publish('c', 'a.test', 2)).rejects.toThrow(
      /was removed or replaced while the crawl ran/,
    );
    expect(staged(database)).toBe(1);
  });

  test('that are lost are reported when the folder is opened again, and those that were kept are published', async () => {
    const database = connect();
    const store = createItemStore(database, file);
    await store.stage('c', 'a.test', 1, ['1']);
    commit(database, 'a.test', 1);
    await store.publish('c', 'a.test', 1);
    await store.stage('c', 'a.test', 2, ['2']);
    commit(database, 'a.test', 2);
    rmSync(file);
    const warnings: string[] = [];
    await createItemStore(database, file, (line) => warnings.push(line)).close();
    expect(lines()).toEqual(['2']);
    expect(warnings).toEqual([
      expect.stringMatching(/items.jsonl is missing and had 2: items are lost. strand process/),
    ]);
    createItemStore(database, file, (line) => warnings.push(line));
    expect(warnings).toHaveLength(1);
  });

  test('of a turn that was discarded give way to those of the turn done again, also where it has none', async () => {
    const database = connect();
    const store = createItemStore(database, file);
    await store.stage('c', 'a.test', 1, ['1']);
    await store.stage('c', 'a.test', 1, ['2']);
    commit(database, 'a.test', 1);
    await store.publish('c', 'a.test', 1);
    await store.stage('c', 'a.test', 2, ['3']);
    await store.stage('c', 'a.test', 2, []);
    commit(database, 'a.test', 2);
    await store.publish('c', 'a.test', 2);
    expect(lines()).toEqual(['2']);
    await store.close();
  });

  test('of a worker that has lost its turn take the place of none', async () => {
    const database = connect();
    const store = createItemStore(database, file);
    await store.stage('c', 'a.test', 1, ['1']);
    commit(database, 'a.test', 1);
    await store.stage('c', 'a.test', 1, ['2']);
    await store.publish('c', 'a.test', 1);
    expect(lines()).toEqual(['1']);
    await store.close();
  });

  test('of other threads are published like those of this one', async () => {
    const store = createItemStore(connect(), file);
    const thread = connect();
    await createItemStage(thread).stage('c', 'b.test', 1, ['{"thread":1}']);
    commit(thread, 'b.test', 1);
    await store.publish('c', 'b.test', 1);
    expect(lines()).toEqual(['{"thread":1}']);
    await store.close();
  });

  test('of many hosts at once, and of megabytes, come whole and in the order of their turn', async () => {
    const database = connect();
    const store = createItemStore(database, file);
    const hosts = Array.from({ length: 40 }, (_, i) => `h${i}.test`);
    const itemsOf = (host: string) =>
      Array.from({ length: 5 }, (_, n) => `${host} ${n} ${'x'.repeat(n * 40_000)}`);
    for (const host of hosts) {
      await store.stage('c', host, 1, itemsOf(host));
      commit(database, host, 1);
    }
    await Promise.all(hosts.map((host) => store.publish('c', host, 1)));
    expect(lines()).toEqual(hosts.flatMap(itemsOf));
    expect(staged(database)).toBe(0);
    await store.close();
  });

  test('continue at the end of a file that somebody has shortened', async () => {
    const database = connect();
    const store = createItemStore(database, file);
    await store.stage('c', 'a.test', 1, ['1', '2']);
    commit(database, 'a.test', 1);
    await store.publish('c', 'a.test', 1);
    await store.close();
    truncateSync(file, 2);
    const next = createItemStore(connect(), file);
    await next.stage('c', 'a.test', 2, ['3']);
    commit(database, 'a.test', 2);
    await next.publish('c', 'a.test', 2);
    await next.close();
    expect(lines()).toEqual(['1', '3']);
  });
});

/** Two turns of one host and one of another, published side by side. Does what is not done yet. */
async function crawl(database: DatabaseSync, store: ReturnType<typeof createItemStore>): Promise<void> {
  const publications: Promise<void>[] = [];
  const turns = [
    ['a.test', 1],
    ['b.test', 1],
    ['a.test', 2],
  ] as const;
  try {
    for (const [host, version] of turns) {
      const head = database.prepare("SELECT version FROM heads WHERE crawl = 'c' AND host = ?").get(host);
      if (Number(head?.version ?? 0) >= version) continue;
      await store.stage('c', host, version, [`${host} ${version} one`, `${host} ${version} two`]);
      commit(database, host, version);
      publications.push(store.publish('c', host, version));
    }
  } finally {
    const failed = (await Promise.allSettled(publications)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') expect(failed.reason.message).toBe('killed');
  }
  await Promise.all(publications);
}

const ALL = ['a.test 1 one', 'a.test 1 two', 'a.test 2 one', 'a.test 2 two', 'b.test 1 one', 'b.test 1 two'];

/** Runs until it is killed at step `steps`, or to the end; whether it came so far. */
async function runFor(steps: number): Promise<boolean> {
  const database = connect();
  power.stepsLeft = steps;
  try {
    const store = createItemStore(stepping(database), file);
    await crawl(stepping(database), store);
    await store.close();
    return true;
  } catch (error) {
    expect((error as Error).message).toBe('killed');
    return false;
  } finally {
    power.stepsLeft = Number.POSITIVE_INFINITY;
    // As at a process's end: what was begun and not committed is rolled back.
    opened.splice(opened.indexOf(database), 1);
    database.close();
  }
}

test('each item is once in the file, at whatever step the process is killed, and killed again', async () => {
  let first = 0;
  for (let isOver = false; !isOver; first++) {
    rmSync(folder, { recursive: true });
    folder = mkdtempSync(join(tmpdir(), 'strand-items-'));
    file = join(folder, 'items.jsonl');
    isOver = await runFor(first);
    // All of the steps of repairing what the first one left, in the course of the test.
    await runFor((first * 7) % 19);
    expect(await runFor(Number.POSITIVE_INFINITY)).toBe(true);
    expect(lines().sort()).toEqual(ALL);
  }
  expect(first).toBeGreaterThan(30);
});
