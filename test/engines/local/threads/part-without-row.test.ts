/** A thread that dies between the file of a ledger's part and the row that names it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { foldersOf } from '../../../../shared/engines/local/folders.ts';
import { type LocalSession, resumeCrawl } from '../../../../shared/engines/local/session/session.ts';
import { beginCrawl } from '../../../local-crawl/begin-crawl.ts';
import { temporaryFolder } from '../../../local-crawl/local-crawl.ts';

const HOST = 'a.test';
const SOFTWARE = { software: 'test' };
const LARGE_BYTES = 100_000;

let place: ReturnType<typeof temporaryFolder>;
let session: LocalSession;
beforeEach(async () => {
  place = temporaryFolder();
  session = await beginCrawl(place.folder, ['http://a.test/'], {}, SOFTWARE);
});
afterEach(async () => {
  await session.close().catch(() => {});
  place.remove();
});

const urlOf = (path: string): string =>
  new URL(`../../../../shared/engines/local/${path}`, import.meta.url).href;

/** Stores a part by a thread that ends where it would name the file. Returns the thread's exit code. */
function storeAndDie(name: string): Promise<number> {
  const { database, ledgers } = foldersOf(place.folder);
  const program = `
    import { openDatabase } from ${JSON.stringify(urlOf('database.ts'))};
    import { createLedgerStore } from ${JSON.stringify(urlOf('ledger-store.ts'))};
    const database = openDatabase(${JSON.stringify(database)}, 'join');
    const prepare = database.prepare.bind(database);
    database.prepare = (sql) => (/INTO parts/.test(sql) ? { run: () => process.exit(7) } : prepare(sql));
    const store = createLedgerStore(database, ${JSON.stringify(ledgers)});
    await store.putPart(${JSON.stringify(session.id)}, '${HOST}', '${name}', new Uint8Array(${LARGE_BYTES}).fill(1));
  `;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  return new Promise((resolve, reject) => {
    thread.on('error', reject);
    thread.on('exit', resolve);
  });
}

function filesOf(): string[] {
  const { ledgers } = foldersOf(place.folder);
  return readdirSync(ledgers).flatMap((host) => readdirSync(join(ledgers, host)));
}

test('the next turn does not see the part, stores its own, and nothing is left when the crawl ends', async () => {
  const { engine, id } = session;
  expect(await storeAndDie('s2-dead')).toBe(7);
  expect(filesOf()).toEqual(['s2-dead']);
  expect(await engine.ledgers.listParts(id, HOST)).toEqual([]);
  await expect(engine.ledgers.readPart(id, HOST, 's2-dead')).rejects.toThrow('is not there');

  await engine.ledgers.putPart(id, HOST, 's2-again', new Uint8Array(LARGE_BYTES).fill(2));
  expect(await engine.ledgers.listParts(id, HOST)).toEqual(['s2-again']);
  await session.close();
  expect(filesOf()).toEqual(['s2-again']);

  session = await resumeCrawl(place.folder, {}, SOFTWARE);
  const bytes = await session.engine.ledgers.readPart(id, HOST, 's2-again');
  expect([bytes.length, bytes[0]]).toEqual([LARGE_BYTES, 2]);
});

test('a part of the same name replaces the file', async () => {
  const { engine, id } = session;
  await storeAndDie('s2-same');
  await engine.ledgers.putPart(id, HOST, 's2-same', new Uint8Array(LARGE_BYTES + 1).fill(2));
  const bytes = await engine.ledgers.readPart(id, HOST, 's2-same');
  expect([bytes.length, bytes[0], bytes.at(-1)]).toEqual([LARGE_BYTES + 1, 2, 2]);
});
