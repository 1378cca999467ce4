import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { InvalidConfig } from '../../core/crawl/config.ts';
import { openDatabase } from './database.ts';
import { foldersOf } from './folders.ts';
import { hasPayloads } from './items/payload-index.ts';

/**
 * The database of the crawl in `folder`, whose payloads must not be stored again. Throws `InvalidConfig`.
 */
export function openEarlier(folder: string): DatabaseSync {
  const path = foldersOf(folder).database;
  if (!existsSync(path))
    throw new InvalidConfig(`There is no crawl in ${folder}, given as the one to be deduplicated from`);
  const database = openDatabase(path, 'read');
  if (hasPayloads(database)) return database;
  database.close();
  throw new InvalidConfig(
    `The crawl in ${folder} has no index of its payloads to be deduplicated from: it has archived none, or ran without revisits`,
  );
}
