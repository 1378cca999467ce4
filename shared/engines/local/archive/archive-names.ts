/** The names of WARC files, and a listing of those in a folder. */

import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkWarcPrefix } from '../../../core/archive/warc-prefix.ts';
import { InvalidConfig } from '../../../core/crawl/invalid-config.ts';
import { printable } from '../../../core/text/printable.ts';
import { isWarcName } from '../../../core/text/stored-names.ts';
import { entriesOf } from '../folder-guard.ts';

/** The suffix of a file's name while the file is being written. */
export const OPEN_SUFFIX = '.open';

/** `PREFIX-YYYYMMDDhhmmss-NNNNN.warc.gz` (ISO 28500:2017, annex C, without the host's name). */
export function warcFileName(prefix: string, at: number, serial: number): string {
  const stamp = new Date(at).toISOString().replace(/\D/g, '').slice(0, 14);
  return `${prefix}-${stamp}-${String(serial).padStart(5, '0')}.warc.gz`;
}

/**
 * Matches the names that {@link warcFileName} makes of `prefix`, the serial number captured. Throws for a bad
 * prefix.
 */
export function warcFilePattern(prefix: string): RegExp {
  checkWarcPrefix(prefix);
  // linear: for names of the crawl's own files; the prefix is plain text.
  return new RegExp(`^${prefix.replaceAll('.', '\\.')}-\\d{14}-(\\d{5,})\\.warc\\.gz$`);
}

/** Matches those of `prefix`, and of it with a number after: `strand`, `strand-1`. */
export function warcFilesPattern(prefix: string): RegExp {
  checkWarcPrefix(prefix);
  // linear: for names of the crawl's own files; the prefix is plain text.
  return new RegExp(`^${prefix.replaceAll('.', '\\.')}(?:-\\d{1,5})?-\\d{14}-\\d{5,}\\.warc\\.gz$`);
}

export interface WarcFileEntry {
  /** The final name, as locations give it. */
  readonly file: string;
  /** Where it is now. */
  readonly path: string;
  readonly bytes: number;
  /** Still being written, or left behind by a writer that was killed. */
  readonly isOpen: boolean;
}

/**
 * The folder's WARC files by name; empty if the folder does not exist. Throws `InvalidConfig` for a link, and for a
 * name that is a path on other systems.
 */
export async function listWarcFiles(folder: string): Promise<WarcFileEntry[]> {
  const entries: WarcFileEntry[] = [];
  for (const entry of entriesOf(folder)) {
    const { name } = entry;
    const isOpen = name.endsWith(OPEN_SUFFIX);
    const file = isOpen ? name.slice(0, -OPEN_SUFFIX.length) : name;
    if (!file.endsWith('.warc.gz')) continue;
    const path = join(folder, name);
    if (!entry.isFile() || !isWarcName(file))
      throw new InvalidConfig(
        `Expected ${printable(path)} to be a WARC file of plain letters, digits, \`.\`, \`_\` and \`-\`, and no link: rename it, or put the file itself there`,
      );
    const bytes = await sizeOf(path);
    // A file that was renamed or removed meanwhile is in the listing under its other name, or gone.
    if (bytes !== undefined) entries.push({ file, path, bytes, isOpen });
  }
  return entries.sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** The file's size; undefined if it is not there. */
export async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    (found) => found.size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );
}

/** Makes names created, changed or removed in the folder durable, where the system lets folders be synced. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
