/** The files of a crawl's folder, as exports read them. */
import { existsSync } from 'node:fs';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { SkipLine } from '../../shared/crawler/ports/skip-log.ts';
import type { LocalReader } from '../../shared/engines/local/engine.ts';
import { openFolderArchive } from '../../shared/engines/local/exports/folder-archive.ts';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import { linesOfFile } from '../../shared/engines/local/lines-of-file.ts';
import type { Placed } from '../../shared/services/exports/placed.ts';
import type { Item } from '../../shared/services/project/project.ts';
import type { PlaceFiles } from '../crawl-place.ts';
import { goodItemBytes } from './stored-items.ts';

export async function openFolderFiles(
  folder: string,
  log: Pick<LocalReader, 'skips' | 'skipsBeyond'>,
  crawl: CrawlId,
): Promise<PlaceFiles> {
  const { close, ...archive } = await openFolderArchive(folder);
  const itemBytes = goodItemBytes(folder);
  return {
    archive,
    close,
    items: (after) => itemsBehind(foldersOf(folder).items, itemBytes, after),
    skips: () => skipsIn(log, crawl),
  };
}

/** Cursor: the offset of the next line. */
async function* itemsBehind(
  path: string,
  bytes: number | undefined,
  after = '0',
): AsyncGenerator<Placed<Item, string>> {
  if (!existsSync(path)) return;
  for await (const { text, at, bytes: length } of linesOfFile(path, Number(after), bytes)) {
    if (text === '') continue;
    yield { value: parsed(text, path, at), after: String(at + length), share: 0.5 };
  }
}

function parsed(text: string, path: string, at: number): Item {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(`Expected a JSON value in ${path}, at byte ${at}`, { cause });
  }
}

/** The whole log: an export in one slice reads it once. */
async function* skipsIn(
  { skips, skipsBeyond }: Pick<LocalReader, 'skips' | 'skipsBeyond'>,
  crawl: CrawlId,
): AsyncGenerator<Placed<SkipLine, string>> {
  const place = { after: '', isGoodEnd: false, share: 0.5 };
  for (const value of skips(crawl)) yield { value, ...place };
  yield { value: { beyond: skipsBeyond(crawl) }, ...place };
}
