/** The folder of an earlier crawl as the cache of another one. */
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InvalidConfig } from '../../../core/crawl/config.ts';
import { openArchiveReader } from '../archive/archive-reader.ts';
import { createCaptureIndex } from '../archive/capture-index.ts';
import { holdsCrawl } from '../database.ts';
import { foldersOf } from '../folders.ts';
import type { CacheFolder } from './response-cache.ts';

/** Throws `InvalidConfig` if `folder` cannot be the cache of the crawl in `own`. */
export function checkCache(folder: string, own: string): void {
  if (realPath(folder) === realPath(own))
    throw new InvalidConfig(
      `The cache ${folder} is the folder of this crawl: give the folder of an earlier one as cache, or another folder for this crawl`,
    );
  if (!holdsCrawl(foldersOf(folder).database))
    throw new InvalidConfig(
      `There is no crawl in ${folder}, given as cache: give the folder of an earlier crawl of this machine, or none (of a crawl that is resumed: --no-cache)`,
    );
}

/**
 * Makes the index of the earlier crawl's captures, as they are now, in the temporary folder of the crawl in `own`.
 * Throws `InvalidConfig` if there are none.
 */
export async function indexCache(
  folder: string,
  own: string,
  warn?: (message: string) => void,
): Promise<CacheFolder> {
  const index = join(foldersOf(own).temporary, 'cache.sqlite');
  const archive = openArchiveReader(folder);
  try {
    const captures = await createCaptureIndex(archive.captures(warn), { path: index });
    captures.close();
    if (captures.size === 0)
      throw new InvalidConfig(`The crawl in ${folder}, given as cache, has archived no response`);
  } finally {
    await archive.close();
  }
  return { folder, index };
}

/** With links followed, if it is there. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
