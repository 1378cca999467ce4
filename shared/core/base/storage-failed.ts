import { causeOf, isInstance, messageOf, propertyOf } from './error-message.ts';
import { type Explain, explainErrors, orExplained } from './explain-errors.ts';

/**
 * The crawl's own storage fails: its disk, its database, its temporary files. No later write can be expected
 * to work, so a crawling process stops at once: it requests nothing that it could not store. The message
 * says what failed and what to do about it. The crawl can be resumed.
 */
export class StorageFailed extends Error {
  override name = 'StorageFailed';
  /** The folder of the crawl to resume, where the failure kept it from being opened. */
  folder?: string;
}

interface Words {
  readonly what: string;
  readonly remedy: string;
}

const FULL: Words = { what: 'The disk is full', remedy: 'Free some space' };
const TOO_LARGE: Words = {
  what: 'A file has reached the largest size that is allowed',
  remedy: 'Raise the limit (ulimit -f), or use another file system',
};
const TOO_MANY: Words = {
  what: 'Too many files and connections are open',
  remedy: 'Raise the limit (ulimit -n), or lower --hosts',
};
const BROKEN: Words = { what: 'The disk reports an error', remedy: 'Check the disk' };
const READ_ONLY: Words = {
  what: 'The folder or a file in it may not be written to',
  remedy: 'Allow it, or use another folder',
};
/** Node 24 gives most failures of `rmSync` an empty code. */
const NOT_DELETED: Words = {
  what: 'A file cannot be deleted',
  remedy: 'See that its folder may be written to, and that the disk is sound',
};
const GONE: Words = {
  what: 'A file or folder is missing, or is something else than expected',
  remedy: 'Put it back, or use another folder',
};
const UNOPENED: Words = {
  what: 'A file cannot be opened',
  remedy: 'See that it is there, may be read and written, and that not too many files are open (ulimit -n)',
};
/** SQLite says the same of a page that the disk could not read. */
const DAMAGED: Words = {
  what: 'The database is damaged, or the disk could not read it',
  remedy:
    'Check the disk. If it is sound, restore the whole folder from a copy, or begin in another folder. WARC files do not depend on the database: check them by "strand warc check"',
};

/** SQLite needs some kB beside the database to read it, and does not say why it has not got them. */
const NO_ROOM_TO_READ: Words = {
  what: 'The disk is full, or reports an error',
  remedy: 'Free some space; if there is some, check the disk',
};

const NOT_WRITTEN: Words = {
  what: 'The disk reports an error, or a file has reached the largest size that is allowed',
  remedy: 'Check the disk, and the limit (ulimit -f)',
};

const TOO_LONG: Words = {
  what: 'A name or a path is longer than the file system allows',
  remedy: 'Choose a shorter one',
};
const CIRCLE: Words = { what: 'Symbolic links lead in a circle', remedy: 'Choose another path' };

/** The words for errors of the file system, by their code. */
const BY_CODE: Readonly<Record<string, Words>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: TOO_LARGE,
  EMFILE: TOO_MANY,
  ENFILE: TOO_MANY,
  EIO: BROKEN,
  ENXIO: BROKEN,
  ENODEV: BROKEN,
  EROFS: READ_ONLY,
  EACCES: READ_ONLY,
  EPERM: READ_ONLY,
  ENOENT: GONE,
  ENOTDIR: GONE,
  EISDIR: GONE,
  EEXIST: GONE,
  ESTALE: GONE,
  ENAMETOOLONG: TOO_LONG,
  ELOOP: CIRCLE,
};

/**
 * The words for SQLite's errors, by primary result code (https://www.sqlite.org/rescode.html). Busy and
 * locked are not among them, because they pass.
 */
const BY_RESULT: Readonly<Record<number, Words>> = {
  8: READ_ONLY,
  10: BROKEN,
  11: DAMAGED,
  13: FULL,
  14: UNOPENED,
  26: DAMAGED,
};

/** Extended codes that say more: SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE. */
const BY_EXTENDED_RESULT: Readonly<Record<number, Words>> = { 4874: NO_ROOM_TO_READ, 778: NOT_WRITTEN };

/** Causes looked at. */
const MAX_CAUSES = 5;

/**
 * The error in plain words, if it or one of its causes is an error of the file system or of SQLite that does not pass
 * by itself; else undefined. `where`: the file being read or written.
 */
export function storageFailure(error: unknown, where?: string): StorageFailed | undefined {
  if (isInstance(error, StorageFailed)) return error;
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && isInstance(cause, Error); depth++, cause = causeOf(cause)) {
    if (isInstance(cause, StorageFailed)) return cause;
    const words = wordsOf(cause);
    if (!words) continue;
    const message = messageOf(cause).replace(/^, Unknown error: /, '');
    const place = where === undefined || message.includes(where) ? '' : `${where}: `;
    return new StorageFailed(`${words.what} (${place}${message}). ${words.remedy}`, { cause: error });
  }
  return undefined;
}

function wordsOf(error: Error): Words | undefined {
  const [code, syscall, errcode] = ['code', 'syscall', 'errcode'].map((name) => propertyOf(error, name));
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number')
    return BY_EXTENDED_RESULT[errcode] ?? BY_RESULT[errcode & 0xff];
  if (typeof code === 'string' && typeof syscall === 'string' && Object.hasOwn(BY_CODE, code))
    return BY_CODE[code];
  return code === '' && syscall === 'rm' ? NOT_DELETED : undefined;
}

/** Runs `work`; what it throws or rejects with is a {@link StorageFailed} where that applies. */
export const orStorageFailed = <T>(where: string, work: () => T): T => orExplained(work, failureAt(where));

/**
 * The port, all of whose functions fail with {@link StorageFailed} where that applies. `where`: what it works
 * on.
 */
export const withStorageFailures = <T extends object>(port: T, where: string): T =>
  explainErrors(port, failureAt(where));

const failureAt =
  (where: string): Explain =>
  (error) =>
    storageFailure(error, where) ?? error;
