import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { beginSession, inFolder } from '../../api/local/begin-session.ts';
import { StorageFailed } from '../../shared/core/base/storage-failed.ts';
import { InvalidConfig } from '../../shared/core/crawl/config.ts';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import { NO_PROJECT } from '../../shared/services/project/project-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As SQLite says it, before anybody put it in plain words. */
const diskError = () => Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });

test('a storage that fails while a crawl is opened names the folder of the crawl to resume', async () => {
  // Its database cannot be read, so it may hold a crawl.
  writeFileSync(foldersOf(folder).database, 'no database '.repeat(1000));
  for (const error of [diskError(), new StorageFailed('The disk reports an error')]) {
    const failure = inFolder(folder, Promise.reject(error));
    await expect(failure).rejects.toThrow(StorageFailed);
    await expect(failure).rejects.toMatchObject({ folder });
  }
});

test('a folder without a crawl is not one to resume', async () => {
  const failure = inFolder(folder, Promise.reject(diskError()));
  await expect(failure).rejects.toThrow(/^The disk reports an error .*\. Check the disk$/);
  await expect(failure).rejects.not.toHaveProperty('folder', folder);
});

test('a refusal stays one, whatever error of the file system is its cause', async () => {
  const cause = Object.assign(new Error('file already exists'), { code: 'EEXIST', syscall: 'mkdir' });
  const refusal = new InvalidConfig('a is no folder', { cause });
  await expect(inFolder(folder, Promise.reject(refusal))).rejects.toBe(refusal);
});

test('what is no failure of the storage stays as it is', async () => {
  const error = new Error('there is no crawl');
  await expect(inFolder(folder, Promise.reject(error))).rejects.toBe(error);
  expect(await inFolder(folder, Promise.resolve(5))).toBe(5);
});

test('limits that a crawl cannot be resumed with are given with the refusal, so that the command line can name its options', async () => {
  const limits = { recrawlEveryMs: 0 };
  const begun = beginSession(
    {
      kind: 'resume',
      folder,
      limits,
      newUrlRules: false,
      trustSettings: false,
      workers: 1,
      reportsEvents: false,
    },
    undefined,
    NO_PROJECT,
    { software: 'test' },
  );
  await expect(begun).rejects.toThrow(InvalidConfig);
  await expect(begun).rejects.toMatchObject({ given: limits });
});
