/** A crawl's folder in which something is missing, damaged, full, or taken away. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { orStorageFailed, StorageFailed } from '../../../shared/core/base/storage-failed.ts';
import { InvalidConfig } from '../../../shared/core/crawl/config.ts';
import { holdsCrawl, inTransaction, openDatabase } from '../../../shared/engines/local/database.ts';
import { holdFolder } from '../../../shared/engines/local/folder-hold.ts';
import { foldersOf } from '../../../shared/engines/local/folders.ts';
import { FolderInUse, isFolderInUse, lockFolder } from '../../../shared/engines/local/lock.ts';
import { type LocalSession, resumeCrawl } from '../../../shared/engines/local/session/session.ts';
import { hostBlocksMemory } from '../../../shared/engines/local/threads/host-blocks.ts';
import { inFlightMemory } from '../../../shared/engines/local/threads/in-flight-table.ts';
import { tallyMemory } from '../../../shared/engines/local/threads/shared-tally.ts';
import { openThreadEngine } from '../../../shared/engines/local/threads/thread-engine.ts';
import { slotMemory } from '../../../shared/engines/watchdog/work-slot.ts';
import { beginCrawl } from '../../local-crawl/begin-crawl.ts';
import { QUICK, recordsOf, temporaryFolder } from '../../local-crawl/local-crawl.ts';
import { PLAIN } from '../../web/features.ts';
import { generateWeb } from '../../web/graph.ts';
import { type RunningWeb, startWeb } from '../../web/server.ts';

const SOFTWARE = { software: 'test' };
const SEEDS = ['http://a.test/'];

let place: ReturnType<typeof temporaryFolder>;
let folder: string;
beforeEach(() => {
  place = temporaryFolder();
  folder = place.folder;
});
afterEach(() => place.remove());

const begin = () => beginCrawl(folder, SEEDS, {}, SOFTWARE);

describe('a crawl that runs', () => {
  let web: RunningWeb;
  let session: LocalSession;
  beforeEach(async () => {
    web = await startWeb(generateWeb({ seed: 31, hosts: 4, pagesPerHost: 400, features: PLAIN }), {
      latencyMs: 5,
    });
    const resolve: [string, string][] = [['*.test', web.address]];
    session = await beginCrawl(folder, web.seeds, { ...QUICK, delayMs: 20, resolve }, SOFTWARE);
  });
  afterEach(async () => {
    await session.close().catch(() => {});
    await web.stop();
  });

  /** Runs until it ends by itself; `act` does its harm when the web has had 30 requests. */
  async function runWhile(act: () => void): Promise<unknown> {
    let hasActed = false;
    const run = session.run({
      signal: AbortSignal.timeout(200_000),
      onProgress: () => {
        if (hasActed || web.log.length < 30) return;
        hasActed = true;
        act();
      },
    });
    const end = await run.catch((error: unknown) => error);
    expect(hasActed).toBe(true);
    return end;
  }

  test.each([
    ['its archive is removed', () => rmSync(foldersOf(folder).archive, { recursive: true })],
    [
      'its archive is replaced',
      () => {
        const { archive } = foldersOf(folder);
        renameSync(archive, `${archive}.old`);
        mkdirSync(archive);
      },
    ],
    ['its database is removed', () => rmSync(foldersOf(folder).database)],
    ['the whole folder is removed', () => rmSync(folder, { recursive: true })],
  ])('ends with the reason when %s', async (_, act) => {
    const end = await runWhile(act);
    expect(end).toBeInstanceOf(StorageFailed);
    const requests = web.log.length;
    // It has not continued until all was fetched.
    expect(requests).toBeLessThan(1000);
  });

  test('can be resumed after its archive was removed', async () => {
    await runWhile(() => rmSync(foldersOf(folder).archive, { recursive: true }));
    await session.close().catch(() => {});
    session = await resumeCrawl(folder, { maxPages: 100 }, SOFTWARE);
    expect(await session.run({ signal: AbortSignal.timeout(200_000) })).toMatchObject({ status: 'limited' });
    await session.close();
    expect((await recordsOf(folder)).records.size).toBeGreaterThan(100);
  });

  test('continues when its lock is deleted, and takes it again', async () => {
    let wasFree: boolean | undefined;
    const stopping = new AbortController();
    let deletedAt = 0;
    const run = session.run({
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(200_000)]),
      onProgress: () => {
        if (deletedAt === 0 && web.log.length > 10) {
          rmSync(join(folder, 'lock'));
          wasFree = !isFolderInUse(folder);
          deletedAt = Date.now();
        }
        if (deletedAt > 0 && isFolderInUse(folder)) stopping.abort();
      },
    });
    expect(await run).toEqual({ status: 'running' });
    expect(stopping.signal.aborted).toBe(true);
    expect(wasFree).toBe(true);
    await expect(resumeCrawl(folder, {}, SOFTWARE)).rejects.toThrow(FolderInUse);
  });
});

describe('the hold on a folder', () => {
  test('keeps a second process out though the lock was deleted, while the first one is alive', async () => {
    const session = await begin();
    rmSync(join(folder, 'lock'));
    const lock = lockFolder(folder);
    const database = new DatabaseSync(foldersOf(folder).database);
    // The second process sees the first one's number alive, and its beat continues.
    const other = { beatMs: 50, pid: process.pid + 1_000_000 };
    const claim = holdFolder(folder, database, lock, other);
    session.engine.hold.keep();
    await expect(claim).rejects.toThrow(FolderInUse);
    lock.release();
    session.engine.hold.keep();
    expect(() => lockFolder(folder)).toThrow(FolderInUse);
    database.close();
    await session.close();
  });

  test('is given up by a process that was killed', async () => {
    const session = await begin();
    const lock = { renew: () => {} };
    const database = new DatabaseSync(foldersOf(folder).database);
    // Nobody keeps the first one's.
    const now = () => Date.now() + 60_000;
    const next = await holdFolder(folder, database, lock, { beatMs: 20, pid: process.pid + 1_000_000, now });
    // A minute ago, as far as the clock says, less what passed between two of its beats.
    expect(next.deadForMs).toBeGreaterThan(50_000);
    expect(() => session.engine.hold.keep()).toThrow(StorageFailed);
    next.release();
    database.close();
    await session.close();
  });
});

describe('a folder', () => {
  test('whose first commit failed can be begun again, and says that it holds no crawl', async () => {
    mkdirSync(folder);
    // Killed between the creation of the database and the registration of the crawl.
    openDatabase(foldersOf(folder).database, 'write').close();
    await expect(resumeCrawl(folder, {}, SOFTWARE)).rejects.toThrow(/There is no crawl/);
    const session = await begin();
    await session.close();
    await expect(begin()).rejects.toThrow(/holds a crawl already/);
  });

  test('with an empty database is begun again', async () => {
    mkdirSync(folder);
    const path = foldersOf(folder).database;
    writeFileSync(path, new Uint8Array());
    expect(holdsCrawl(path)).toBe(false);
    await (await begin()).close();
    expect(holdsCrawl(path)).toBe(true);
  });

  test('whose process was killed while it created the database holds no crawl, and is begun again', async () => {
    mkdirSync(folder);
    const path = foldersOf(folder).database;
    const writer = new DatabaseSync(path);
    writer.exec('PRAGMA user_version = 1');
    // The transaction's pages are in the file, and what undoes it is in the journal.
    writer.exec('PRAGMA cache_size = 1; BEGIN; CREATE TABLE crawls (x)');
    for (let i = 0; i < 20; i++) writer.exec(`INSERT INTO crawls VALUES ('${'x'.repeat(4000)}')`);
    const left = [path, `${path}-journal`].map((file) => ({ file, bytes: readFileSync(file) }));
    writer.close();
    for (const { file, bytes } of left) writeFileSync(file, bytes);
    expect(holdsCrawl(path)).toBe(false);
    await (await begin()).close();
    expect(holdsCrawl(path)).toBe(true);
  });

  test('with a damaged database says so, and what to do', async () => {
    await (await begin()).close();
    writeFileSync(foldersOf(folder).database, Buffer.alloc(8192, 'x'));
    await expect(resumeCrawl(folder, {}, SOFTWARE)).rejects.toThrow(
      /database is damaged.*Check the disk.*restore/,
    );
    await expect(begin()).rejects.toThrow(/database is damaged/);
  });

  test('that is a file, or below one, is refused by name', async () => {
    writeFileSync(folder, '');
    await expect(begin()).rejects.toThrow(InvalidConfig);
    await expect(begin()).rejects.toThrow(/is not a folder/);
    await expect(beginCrawl(join(folder, 'sub'), SEEDS, {}, SOFTWARE)).rejects.toThrow(/is not a folder/);
  });

  test('on a full disk is not called in use by another process', async () => {
    // The error of SQLite when there is no room, without a full disk: the lock's file cannot be made here.
    const missing = join(folder, 'no', 'such', 'folder');
    expect(() => orStorageFailed(missing, () => lockFolder(missing))).toThrow(StorageFailed);
    expect(isFolderInUse(missing)).toBe(false);
  });

  test('in which nobody crawls is not changed by asking', async () => {
    await (await begin()).close();
    rmSync(join(folder, 'lock'));
    expect(isFolderInUse(folder)).toBe(false);
    expect(readdirSync(folder)).not.toContain('lock');
  });
});

test('the error that makes SQLite roll back by itself is the one reported', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE t (x)');
  const work = () =>
    inTransaction(database, () => {
      // As after SQLITE_FULL.
      database.exec('ROLLBACK');
      throw new Error('the disk is full');
    });
  expect(work).toThrow('the disk is full');
});

test('files of ledgers that a process wrote and did not name before it died are removed when the folder is opened', async () => {
  const session = await begin();
  const { engine, id } = session;
  const large = new Uint8Array(100_000);
  await engine.ledgers.putPart(id, 'a.test', 's1-named', large);
  await session.close();
  const hosts = readdirSync(foldersOf(folder).ledgers);
  const host = join(foldersOf(folder).ledgers, hosts[0]!);
  writeFileSync(join(host, 's1-unnamed'), large);
  const resumed = await resumeCrawl(folder, {}, SOFTWARE);
  expect(readdirSync(host)).toEqual(['s1-named']);
  expect((await resumed.engine.ledgers.readPart(id, 'a.test', 's1-named')).length).toBe(large.length);
  await resumed.close();
});

test('a thread of several that cannot keep its items says that the storage has failed', async () => {
  const session = await begin();
  const { id, config } = session;
  const start = {
    ...{
      folder,
      crawl: id,
      config,
      software: 'test',
      block: 0,
      blocks: 2,
      maxHosts: 1,
      maxSockets: 1,
      reportsEvents: false,
    },
    ...{
      hostBlocks: hostBlocksMemory(),
      tally: tallyMemory(2),
      inFlight: inFlightMemory(1),
      slot: slotMemory(),
    },
    changes: new Int32Array(new SharedArrayBuffer(4)),
  };
  const thread = await openThreadEngine(start, () => {});
  thread.database.exec('PRAGMA query_only = ON');
  const staged = thread.items?.stage(id, 'a.test', 1, ['{}']);
  await expect(staged).rejects.toThrow(StorageFailed);
  await thread.close();
  await session.close();
});
