/** Looks at a crawl's folder, which somebody else may have made, before anything in it is opened. */
import {
  constants,
  type Dirent,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { InvalidConfig } from '../../core/crawl/invalid-config.ts';
import { printable } from '../../core/text/printable.ts';
import { foldersOf, makerOf, unfinishedOutputs } from './folders.ts';

/** Added to the flags of files that are opened: a link that came in between is not followed. Windows has no such flag. */
export const NO_FOLLOW: number = constants.O_NOFOLLOW ?? 0;

const PATHS = foldersOf('');
const FOLDERS: ReadonlySet<string> = new Set([
  PATHS.ledgers,
  PATHS.archive,
  PATHS.indexes,
  PATHS.temporary,
  PATHS.exports,
]);
const NAMES: ReadonlySet<string> = new Set([
  ...Object.values(PATHS),
  unfinishedOutputs(PATHS),
  'lock',
  'lock.pid',
]);
/** Files that SQLite keeps next to a database. */
const BESIDE_DATABASE = /^(.+\.sqlite|lock)-(?:wal|shm|journal)$/;

/** Whether Strand makes, reads and deletes an entry of this name in a crawl's folder. */
export const isOwnEntry = (name: string): boolean =>
  NAMES.has(name) || makerOf(name) !== undefined || NAMES.has(BESIDE_DATABASE.exec(name)?.[1] ?? '');

/**
 * Throws `InvalidConfig` if a file or folder of a crawl's folder is a symbolic link, a pipe or a device: a write, read
 * or delete by that name would happen elsewhere. The folder itself may be a link. `isWritten`: nor may a file that is
 * written in place have another name.
 */
export function refuseLinks(folder: string, { isWritten = false } = {}): void {
  for (const entry of entriesOf(folder)) {
    if (!isOwnEntry(entry.name)) continue;
    const path = join(folder, entry.name);
    refuseLink(entry, path);
    if (isWritten && entry.isFile()) refuseOtherNames(path);
    if (FOLDERS.has(entry.name))
      for (const inner of entriesOf(path)) refuseLink(inner, join(path, inner.name));
  }
}

type Kinds = Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

/** Throws `InvalidConfig` if the entry at `path` is neither a file nor a folder. */
export function refuseLink(entry: Kinds, path: string): void {
  if (entry.isFile() || entry.isDirectory()) return;
  const what = entry.isSymbolicLink()
    ? `a symbolic link to ${printable(readlinkSync(path))}`
    : 'a pipe or a device';
  throw new InvalidConfig(
    `${path} is ${what}: none is followed in a crawl's folder, which somebody else may have made. Put the file or folder itself in its place`,
  );
}

/** Throws `InvalidConfig` for a file that has another name, too, as after `cp -al`: to be called before it is written in place. */
export function refuseOtherNames(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.nlink < 2) return;
  throw new InvalidConfig(
    `${path} has another name, too (a hard link, as cp -al makes them): what Strand writes to it would change there. ` +
      'Copy the folder without links: cp -a FOLDER NEW',
  );
}

/**
 * Throws `InvalidConfig` if the folder, in which no crawl is, has files that a crawl would write to. What a beginning leaves
 * that was interrupted is none. `isDatabase`: whether the database is one of a crawl that was not begun.
 */
export function refuseForeignFiles(folder: string, isDatabase: boolean): void {
  refuseLinks(folder);
  if (isDatabase) return;
  const foreign = entriesOf(folder)
    .filter(({ name }) => isOwnEntry(name) && !isLeftover(folder, name))
    .map(({ name }) => name);
  if (foreign.length === 0) return;
  throw new InvalidConfig(
    `${folder} has ${foreign.slice(0, 3).join(', ')}${foreign.length > 3 ? ', ...' : ''}, and no crawl: a crawl would write there, ` +
      'and nothing of yours is overwritten. Choose a new folder by --out',
  );
}

/** Whether a beginning that was interrupted before there was a database can have left the entry: nothing is in it. */
function isLeftover(folder: string, name: string): boolean {
  const path = join(folder, name);
  if (FOLDERS.has(name)) return entriesOf(path).length === 0;
  if (name === 'lock.pid') return /^\d{0,10}\n?$/.test(readFileSync(path, 'latin1'));
  return statSync(path).size === 0 || /^lock-/.test(name);
}

/** The entries of a folder; none if it is not there. */
export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
