/** The names of the files that Strand makes in the folders of a crawl, and no user by chance: these alone are deleted. */
import { isOwnWarcName } from '../../core/text/stored-names.ts';

/** A WARC file that is complete, is written, or is copied. */
export const isArchiveEntry = (name: string): boolean =>
  isOwnWarcName(name.replace(/\.(?:open|partial)$/, ''));

const INDEX = /^(.+)\.cdxj(?:\.(?:partial|places(?:-\d+)?(?:-tmp)?|(?:run|tmp)-[0-9a-f-]+))?$/;

/** The index of such a file, complete or not. */
export function isIndexEntry(name: string): boolean {
  const stem = INDEX.exec(name)?.[1];
  return stem !== undefined && isOwnWarcName(`${stem}.warc.gz`);
}

/** A body that is handled, or the index of a cache. */
export const isTemporaryEntry = (name: string): boolean =>
  /^body-[0-9a-f-]{36}$/.test(name) || /^cache\.sqlite(?:-(?:wal|shm|journal))?$/.test(name);
