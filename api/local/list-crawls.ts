/** The crawls in folders of this machine. */
import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { storageFailure } from '../../shared/core/base/storage-failed.ts';
import { reasonIn } from '../../shared/core/causes/status-reason.ts';
import { InvalidConfig } from '../../shared/core/crawl/invalid-config.ts';
import { holdsCrawl } from '../../shared/engines/local/database.ts';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import type { FolderEntry } from '../folder-types.ts';
import { openFolder, stateOf } from './open-folder.ts';

/**
 * The crawls in `folder` and in the folders directly in it, by name. Empty if the folder does not exist. A crawl that
 * cannot be read does not hide the others.
 */
export async function listFolders(folder: string): Promise<readonly FolderEntry[]> {
  const entries: FolderEntry[] = [];
  for (const each of [folder, ...foldersIn(folder)]) {
    try {
      if (holdsCrawl(foldersOf(each).database)) entries.push(await entryOf(each));
    } catch (error) {
      const failure = error instanceof InvalidConfig ? error : storageFailure(error);
      if (failure === undefined) throw error;
      const crawl = basename(resolve(each));
      entries.push({ folder: each, crawl, state: 'unreadable', reason: failure.message, pages: 0 });
    }
  }
  return entries;
}

function foldersIn(folder: string): string[] {
  try {
    const found = readdirSync(folder, { withFileTypes: true });
    return found
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => join(folder, name))
      .sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

async function entryOf(folder: string): Promise<FolderEntry> {
  const opened = await openFolder(folder);
  const { reader, crawl, record } = opened;
  try {
    const { pages } = await reader.registry.totals(crawl);
    const state = stateOf(opened);
    const isSleeping = state === 'interrupted' && reasonIn(record)?.code === 'nothingDue';
    return { folder, crawl, state: isSleeping ? 'sleeping' : state, reason: record.why?.text, pages };
  } finally {
    reader.close();
  }
}
