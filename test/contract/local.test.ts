import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import { listWarcFiles } from '../../shared/engines/local/archive/archive-names.ts';
import { openDatabase } from '../../shared/engines/local/database.ts';
import {
  foldersOf,
  type LocalEngine,
  openLocalEngine,
  openLocalReader,
} from '../../shared/engines/local/engine.ts';
import { FolderInUse } from '../../shared/engines/local/lock.ts';
import { createTurnQueue } from '../../shared/engines/local/turn-queue.ts';
import { engineContract } from './engine-contract.ts';
import type { OpenedEngine, OpenOptions } from './subject.ts';
import { CRAWL, headOf, RECORD } from './subjects.ts';

const openFolder = (folder: string) =>
  openLocalEngine(folder, {
    crawl: CRAWL,
    config: parseConfig({ delayMs: 0, adaptive: false }),
    software: 'test',
    warcPrefix: 'test',
  });

/**
 * Leases and rests run out when the suite lets time pass: on a busy machine they would before it has acted. They are
 * timers of the queue.
 */
async function openLocal({ leaseMs }: OpenOptions = {}): Promise<OpenedEngine & { engine: LocalEngine }> {
  const root = mkdtempSync(join(tmpdir(), 'strand-contract-'));
  const folder = join(root, 'first');
  const engine = await openFolder(folder);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const closing = [async () => void vi.useRealTimers(), () => engine.close()];
  let { queue } = engine;
  const clock = { ...engine.clock, now: () => Date.now() };
  if (leaseMs !== undefined) {
    // The engine's own lease is 15 minutes.
    const database = openDatabase(join(root, 'leases.sqlite'), 'write');
    const leased = createTurnQueue(database, clock, { leaseMs });
    queue = leased;
    closing.unshift(async () => {
      leased.close();
      database.close();
    });
  }
  return {
    engine: { ...engine, queue, clock },
    advance: async (ms) => void (await vi.advanceTimersByTimeAsync(ms)),
    // A copy of the files as they stand is what a killed process leaves.
    async reopen() {
      const copy = join(root, `copy${closing.length}`);
      cpSync(folder, copy, { recursive: true, filter: (path) => !/^lock|-shm$/.test(basename(path)) });
      const reopened = await openFolder(copy);
      closing.push(() => reopened.close());
      return reopened;
    },
    async readRecord(_, { file, offset, length }) {
      const found = (await listWarcFiles(foldersOf(folder).archive)).find((entry) => entry.file === file);
      const handle = await openFile(found!.path);
      try {
        const { buffer } = await handle.read(Buffer.alloc(length), 0, length, offset);
        return buffer;
      } finally {
        await handle.close();
      }
    },
    async close() {
      for (const close of closing) await close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

engineContract('local', openLocal);

test('a folder is for one process at a time, and may be read meanwhile', async () => {
  const root = mkdtempSync(join(tmpdir(), 'strand-local-'));
  const folder = join(root, 'crawl');
  expect(openLocalReader(folder)).toBeUndefined();
  const engine = await openFolder(folder);
  await expect(openFolder(folder)).rejects.toThrow(FolderInUse);
  await engine.registry.create(CRAWL, RECORD);
  const reader = openLocalReader(folder)!;
  expect(reader.isInUse()).toBe(true);
  await engine.ledgers.commit(CRAWL, 'a.test', headOf(1, { urls: { waiting: 3 } }));
  expect(reader.crawl()).toBe(CRAWL);
  expect((await reader.ledgers.loadHead(CRAWL, 'a.test'))?.version).toBe(1);
  expect((await reader.registry.totals(CRAWL)).urls.waiting).toBe(3);
  await engine.close();
  expect(reader.isInUse()).toBe(false);
  reader.close();
  await (await openFolder(folder)).close();
  rmSync(root, { recursive: true });
});
