/** Deletes a crawl from its folder: the files that Strand has made there, and no other. */
import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { NoCrawl } from '../../shared/core/crawl/crawl-errors.ts';
import { mayHoldCrawl } from '../../shared/engines/local/database.ts';
import { exportIdOf } from '../../shared/engines/local/exports/export-notes.ts';
import { entriesOf, isOwnEntry, refuseLinks } from '../../shared/engines/local/folder-guard.ts';
import { isArchiveEntry, isIndexEntry, isTemporaryEntry } from '../../shared/engines/local/folder-names.ts';
import { type Folders, foldersOf } from '../../shared/engines/local/folders.ts';
import { lockFolder } from '../../shared/engines/local/lock.ts';
import { partFiles } from '../../shared/engines/local/unnamed-parts.ts';
import type { DeleteOptions } from '../../shared/services/control/deletion.ts';
import type { DeletedCrawl } from '../folder-types.ts';

/**
 * Also a crawl whose database cannot be read, and with `archive` what an earlier deletion has left. Throws `NoCrawl`, `FolderInUse` while a process crawls in the folder, and
 * `InvalidConfig` if a part of the folder is a link.
 */
export function deleteFolder(folder: string, { archive = false }: DeleteOptions = {}): DeletedCrawl {
  const paths = foldersOf(folder);
  refuseLinks(folder);
  if (!mayHoldCrawl(paths.database) && !(archive && hasArchive(paths))) throw new NoCrawl(folder);
  const lockFile = join(folder, 'lock');
  const kept = archive ? [] : [paths.items];
  const lock = lockFolder(folder);
  try {
    removeParts(paths.ledgers);
    removeEntries(paths.temporary, isTemporaryEntry);
    removeExports(paths.exports, { archive });
    if (archive) {
      removeEntries(paths.archive, isArchiveEntry);
      removeEntries(paths.indexes, isIndexEntry);
    }
    removeFiles(folder, (path) => ![paths.database, lockFile, ...kept].some((one) => path.startsWith(one)));
    // Last: as long as it is there, deleting can be tried again.
    removeFiles(folder, (path) => path.startsWith(paths.database));
  } finally {
    lock.release();
  }
  removeFiles(folder, (path) => path.startsWith(lockFile));
  const left = readdirSync(folder).sort();
  if (left.length === 0) rmdirSync(folder);
  return { left };
}

/** Whether a crawl that was deleted has left WARC files. Items alone may be another program's. */
const hasArchive = ({ archive, indexes }: Folders): boolean =>
  entriesOf(archive).some(({ name }) => isArchiveEntry(name)) ||
  entriesOf(indexes).some(({ name }) => isIndexEntry(name));

/** Removes those of the crawl's own files of which `isGone` says so. */
function removeFiles(folder: string, isGone: (path: string) => boolean): void {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (isOwnEntry(entry.name) && entry.isFile() && isGone(path)) rmSync(path, { force: true });
  }
}

/** Removes the files of such names, and the folder if nothing else is in it. */
function removeEntries(folder: string, isOwn: (name: string) => boolean): void {
  for (const entry of entriesOf(folder))
    if (entry.isFile() && isOwn(entry.name)) rmSync(join(folder, entry.name), { force: true });
  removeEmpty(folder);
}

/** The list of the exports, and with `archive` their files. */
function removeExports(exports: string, { archive }: { readonly archive: boolean }): void {
  for (const { name } of entriesOf(exports)) {
    // An earlier deletion has perhaps left the files alone.
    const id = exportIdOf(name) ?? exportIdOf(`${name}.json`);
    if (id !== undefined && archive) rmSync(join(exports, id), { recursive: true, force: true });
  }
  removeEntries(exports, (name) => exportIdOf(name) !== undefined || /^lock(?:\.pid|-journal)?$/.test(name));
}

function removeParts(ledgers: string): void {
  for (const [host, name] of partFiles(ledgers)) rmSync(join(ledgers, host, name), { force: true });
  for (const host of entriesOf(ledgers)) if (host.isDirectory()) removeEmpty(join(ledgers, host.name));
  removeEmpty(ledgers);
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    // ENOTEMPTY by POSIX may be EEXIST.
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(code)) throw error;
  }
}
