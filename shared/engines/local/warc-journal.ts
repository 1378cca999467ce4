import type { DatabaseSync } from 'node:sqlite';
import type { FileArchiveJournal } from './archive.ts';

/** How many bytes of each open WARC file are good, beside the heads that name their records. `pattern`: of which files. */
export function createWarcJournal(database: DatabaseSync, pattern = /^/): FileArchiveJournal {
  const save = database.prepare('INSERT OR REPLACE INTO warc_files (file, bytes) VALUES (?, ?)');
  const close = database.prepare('DELETE FROM warc_files WHERE file = ?');
  return {
    load() {
      const rows = database.prepare('SELECT file, bytes FROM warc_files').all();
      return (rows as { file: string; bytes: number }[]).filter(({ file }) => pattern.test(file));
    },
    save: (file, bytes) => save.run(file, bytes),
    close: (file) => close.run(file),
  };
}
