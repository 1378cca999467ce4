/** Tests of a folder after a loss of power: it holds the bytes that were synced, and nothing else. */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { openDatabase } from '../../../shared/engines/local/database.ts';
import { createLedgerStore } from '../../../shared/engines/local/ledger-store.ts';

/** Called with each file that is synced, and with each before it is removed. */
const disk = vi.hoisted(() => ({ onSync: (_path: string) => {}, onRemove: (_path: string) => {} }));

vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>();
  return {
    ...real,
    async open(path: string, flags: string): Promise<FileHandle> {
      const file = await real.open(path, flags);
      for (const name of ['datasync', 'sync'] as const) {
        const sync = file[name].bind(file);
        file[name] = async () => {
          await sync();
          disk.onSync(path);
        };
      }
      return file;
    },
    async rm(path: string, options: object): Promise<void> {
      disk.onRemove(path);
      await real.rm(path, options);
    },
  };
});

let folder: string;
let database: DatabaseSync;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-power-'));
  database = openDatabase(join(folder, 'crawl.sqlite'), 'write');
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

test('a head that names a file is not found again when the file is gone, though a reader holds up the checkpoint', async () => {
  const path = join(folder, 'crawl.sqlite');
  const ledgers = createLedgerStore(database, join(folder, 'ledgers'));
  const headOf = (version: number, segments: string[]) => ({
    ...NEW_HEAD,
    version,
    ledger: { ...NEW_HEAD.ledger, segments },
  });
  await ledgers.putPart('c', 'a.test', 's1-a', new Uint8Array(100_000));
  await ledgers.commit('c', 'a.test', headOf(1, ['s1-a']));
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  // A reader that sees the first head: no checkpoint moves what comes after.
  const reader = openDatabase(path, 'read');
  reader.exec('BEGIN');
  reader.prepare('SELECT * FROM heads').all();
  await ledgers.commit('c', 'a.test', headOf(2, []));

  /** The journal as a loss of power would leave it. */
  let synced = new Uint8Array();
  const found: { readonly removed: string; readonly names: readonly string[] }[] = [];
  disk.onSync = (file) => {
    if (file === `${path}-wal`) synced = new Uint8Array(readFileSync(file));
  };
  disk.onRemove = (removed) => {
    const copy = join(folder, 'after.sqlite');
    copyFileSync(path, copy);
    writeFileSync(`${copy}-wal`, synced);
    const after = openDatabase(copy, 'join');
    const { head } = after.prepare('SELECT head FROM heads').get() as { head: string };
    found.push({ removed, names: JSON.parse(head).ledger.segments });
    after.close();
  };
  await ledgers.deleteParts('c', 'a.test', ['s1-a']);
  reader.close();
  expect(found).toEqual([{ removed: expect.stringMatching(/s1-a$/), names: [] }]);
});

test.each([
  ['', ''],
  [', also where a process that died had made its folders', 'ledgers'],
])('the file of a part has durable names down from the folder of the crawl%s', async (_, made) => {
  mkdirSync(join(folder, made), { recursive: true });
  const synced = new Set<string>();
  disk.onSync = (path) => synced.add(path);
  disk.onRemove = () => {};
  const root = join(folder, 'ledgers');
  await createLedgerStore(database, root).putPart('c', 'a.test', 's1-a', new Uint8Array(100_000));
  const host = join(root, readdirSync(root)[0]!);
  expect([...synced].sort()).toEqual([folder, root, host, join(host, 's1-a')]);
});
