/** The archive of a crawl's folder, as exports read it. */
import { stat } from 'node:fs/promises';
import type { ArchiveFiles, ExportArchive, SortedLines } from '../../../services/exports/export-archive.ts';
import { listWarcFiles } from '../archive/archive-names.ts';
import { keptIndex } from '../archive/cdxj-files.ts';
import { readPath } from '../archive/read-handle.ts';
import { openWarcFiles } from '../archive/warc-files.ts';
import { foldersOf } from '../folders.ts';

/** Takes the files as they are now. */
export async function openFolderArchive(folder: string): Promise<ExportArchive & { close(): Promise<void> }> {
  const { archive, indexes } = foldersOf(folder);
  const { list, has, reader, close } = await openWarcFiles(folder);
  const sizes = new Map(list.map(({ name, bytes }) => [name, bytes]));
  const closed = new Map((await listWarcFiles(archive)).map((entry) => [entry.file, entry]));
  const known = new Map<string, Promise<SortedLines | undefined>>();

  /** A file that has grown since has no index of the part that is taken. */
  async function findIndex(file: string): Promise<SortedLines | undefined> {
    const entry = closed.get(file);
    if (!entry || entry.isOpen || entry.bytes !== sizes.get(file)) return undefined;
    const path = await keptIndex(entry, indexes);
    if (path === undefined) return undefined;
    const { size } = await stat(path);
    return [readPath(path, size), size];
  }

  const files: ArchiveFiles = {
    warcs: list,
    sizes,
    has,
    reader,
    openIndex(file) {
      const index = known.get(file) ?? findIndex(file);
      known.set(file, index);
      return index;
    },
  };
  return { list: async () => files, listed: () => files, close };
}
