import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import {
  orStorageFailed,
  StorageFailed,
  storageFailure,
  withStorageFailures,
} from '../../../shared/core/base/storage-failed.ts';

const folder = mkdtempSync(join(tmpdir(), 'strand-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fileError = (code: string) =>
  Object.assign(new Error(`${code}: what the system says, write`), { code, syscall: 'write' });
const sqliteError = (errcode: number) =>
  Object.assign(new Error('what SQLite says'), { code: 'ERR_SQLITE_ERROR', errcode });

describe('an error of the storage', () => {
  test.each([
    ['ENOSPC', /disk is full \(here: ENOSPC.*Free some space/],
    ['EDQUOT', /disk is full/],
    ['EFBIG', /largest size.*ulimit -f/],
    ['EMFILE', /Too many files.*ulimit -n/],
    ['EIO', /disk reports an error/],
    ['EROFS', /may not be written to/],
    ['ENOENT', /missing/],
    ['ENAMETOOLONG', /longer than the file system allows.*shorter/],
    ['ELOOP', /circle/],
  ])('%s of the file system is described in words, with what to do', (code, expected) => {
    const failure = storageFailure(fileError(code), 'here');
    expect(failure).toBeInstanceOf(StorageFailed);
    expect(failure?.message).toMatch(expected);
  });

  test('a failure of rmSync, which Node gives an empty code, likewise', () => {
    const error = new Error(", Unknown error: Read-only file system '/a/b'");
    expect(storageFailure(Object.assign(error, { code: '', syscall: 'rm' }), 'here')?.message).toBe(
      "A file cannot be deleted (here: Read-only file system '/a/b'). See that its folder may be written to, and that the disk is sound",
    );
    expect(storageFailure(Object.assign(error, { code: '', syscall: 'write' }), 'here')).toBeUndefined();
  });

  test.each([
    [13, /disk is full \(here: what SQLite says\)/],
    // Extended codes have the primary one in their low byte: SQLITE_IOERR_WRITE.
    [778, /disk reports an error, or a file has reached the largest size.*ulimit -f/],
    [266, /disk reports an error \(/],
    [4874, /disk is full, or reports an error.*Free some space/],
    [8, /may not be written to/],
    [11, /database is damaged/],
    [26, /database is damaged/],
    [14, /cannot be opened/],
  ])('%i of SQLite likewise', (errcode, expected) => {
    expect(storageFailure(sqliteError(errcode), 'here')?.message).toMatch(expected);
  });

  test('is found behind other errors', () => {
    const behind = new Error('outer', { cause: new Error('inner', { cause: fileError('ENOSPC') }) });
    expect(storageFailure(behind)?.message).toMatch(/disk is full/);
  });

  test('as the system and SQLite throw it', () => {
    const file = join(folder, 'no-database');
    writeFileSync(file, 'x'.repeat(5000));
    const read = () => new DatabaseSync(file).prepare('SELECT * FROM sqlite_schema').all();
    expect(() => orStorageFailed(file, read)).toThrow(/damaged/);
    const open = () => mkdirSync(join(file, 'folder'));
    expect(() => orStorageFailed(file, open)).toThrow(StorageFailed);
  });
});

test.each([
  ['a bug', new TypeError('x is not a function')],
  ['a database that is busy', sqliteError(5)],
  ['a broken constraint', sqliteError(19)],
  ['a connection', Object.assign(new Error('read'), { code: 'ECONNRESET', syscall: 'read' })],
  ['no error at all', 'ENOSPC'],
])('%s is none', (_, error) => {
  expect(storageFailure(error)).toBeUndefined();
});

test('a port fails by it whether its functions throw, reject or fail while they are iterated', async () => {
  const error = fileError('ENOSPC');
  const port = withStorageFailures(
    {
      limit: 3,
      now(): void {
        throw error;
      },
      later: async (by: number) => {
        if (by > 1) throw error;
        return by;
      },
      async *each() {
        yield 1;
        throw error;
      },
      async bug() {
        throw new TypeError('bug');
      },
    },
    'the port',
  );
  expect(port.limit).toBe(3);
  expect(() => port.now()).toThrow(StorageFailed);
  expect(await port.later(1)).toBe(1);
  await expect(port.later(2)).rejects.toThrow(StorageFailed);
  const seen: number[] = [];
  const iterate = async () => {
    for await (const value of port.each()) seen.push(value);
  };
  await expect(iterate()).rejects.toThrow(StorageFailed);
  expect(seen).toEqual([1]);
  await expect(port.bug()).rejects.toThrow(TypeError);
});
