import type { DatabaseSync } from 'node:sqlite';
import { NoCrawl } from '../../shared/core/crawl/crawl-errors.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { CrawlRecord } from '../../shared/crawler/ports/crawl-registry.ts';
import { openDatabase } from '../../shared/engines/local/database.ts';
import { foldersOf, type LocalReader, openLocalReader } from '../../shared/engines/local/engine.ts';
import { createRegistry, type LocalCrawlRegistry } from '../../shared/engines/local/registry.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';

/** A folder's crawl, and its record at the time of opening. */
export interface OpenedFolder {
  readonly reader: LocalReader;
  readonly crawl: CrawlId;
  readonly record: CrawlRecord;
}

/** Opens the crawl of a folder for reading, whether it runs or not. Throws {@link NoCrawl}. */
export async function openFolder(folder: string): Promise<OpenedFolder> {
  const reader = openLocalReader(folder);
  const crawl = reader?.crawl();
  const record = crawl === undefined ? undefined : await reader?.registry.load(crawl);
  if (reader && crawl !== undefined && record) return { reader, crawl, record };
  reader?.close();
  throw new NoCrawl(folder);
}

/** A crawl whose record says that it runs, though no process works in its folder, was interrupted. */
export function stateOf({ reader, record }: Pick<OpenedFolder, 'reader' | 'record'>): CrawlSummary['state'] {
  return record.status === 'running' && !reader.isInUse() ? 'interrupted' : record.status;
}

/** Calls `use` with the registry of the folder's crawl, which a process may run. */
export async function withRegistry<T>(
  folder: string,
  use: (registry: LocalCrawlRegistry, database: DatabaseSync) => Promise<T>,
): Promise<T> {
  const database = openDatabase(foldersOf(folder).database, 'write');
  try {
    return await use(
      createRegistry(database, () => true),
      database,
    );
  } finally {
    database.close();
  }
}
