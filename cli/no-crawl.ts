/** The rest of the message about a folder without a crawl. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nearest } from '../shared/core/text/nearest.ts';
import { quoted } from '../shared/core/text/printable.ts';
import { foldersOf } from '../shared/engines/local/folders.ts';
import { PROGRAM } from './program.ts';

/** The folders that are looked at. */
const MAX_FOLDERS = 1000;

/** Returns what was probably meant by `folder`, which holds no crawl, as the rest of a message; or nothing. */
export function crawlMeant(folder: string): string {
  if (/\.wacz$/i.test(folder) && existsSync(folder))
    return ': it is a WACZ, which https://replayweb.page shows; commands take the folder of the crawl';
  if (crawlsIn(folder).length > 0) return `: it has several, which ${PROGRAM} list ${folder} names`;
  if (isCrawl(folder))
    return `: it failed to begin. Begin it again: ${PROGRAM} crawl SEED... --out ${quoted(folder)}`;
  const inCrawls = join('crawls', folder);
  if (isCrawl(inCrawls)) return `; did you mean ${quoted(inCrawls)}?`;
  const parent = dirname(folder);
  const near = nearest(basename(folder).slice(0, 60), crawlsIn(parent));
  return near === undefined ? '' : `; did you mean ${quoted(join(parent, near))}?`;
}

const isCrawl = (folder: string): boolean => existsSync(foldersOf(folder).database);

function crawlsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .slice(0, MAX_FOLDERS)
      .filter((name) => isCrawl(join(folder, name)));
  } catch {
    return [];
  }
}
