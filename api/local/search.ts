/** Search over the pages of a crawl's folder. */

import { openWarcFiles } from '../../shared/engines/local/archive/warc-files.ts';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import { searchQuery } from '../../shared/outputs/search-query.ts';
import type { DocumentOptions, SearchHit, SearchOptions } from '../stored-crawl.ts';
import { documentsOf } from './documents.ts';
import type { OpenedFolder } from './open-folder.ts';
import { openSearchIndex, type SearchIndex } from './search-index.ts';

/**
 * Finds pages by their words. First brings the index up to the state of the crawl: each page that is not in it, or was
 * fetched again, is read from the archive.
 */
export async function search(
  opened: OpenedFolder,
  folder: string,
  words: string,
  options: SearchOptions = {},
): Promise<SearchHit[]> {
  // A search that cannot be understood makes no index.
  searchQuery(words);
  const index = openSearchIndex(foldersOf(folder).search);
  try {
    await update(opened, folder, index, options);
    return index.search(words, options);
  } finally {
    index.close();
  }
}

async function update(
  opened: OpenedFolder,
  folder: string,
  index: SearchIndex,
  { onIndexed, skip }: SearchOptions,
): Promise<void> {
  const state = await archiveState(folder);
  if (index.state() === state) return;
  let added = 0;
  const isWanted: DocumentOptions['isWanted'] = (page) => !index.has(page);
  for await (const document of documentsOf(opened, folder).documents({ ...(skip && { skip }), isWanted })) {
    index.add(document);
    onIndexed?.(++added);
  }
  index.deleteOthers();
  index.setState(state);
}

/** Another one as soon as anything was archived. */
async function archiveState(folder: string): Promise<string> {
  const files = await openWarcFiles(folder);
  await files.close();
  return JSON.stringify(files.list.map(({ name, bytes }) => [name, bytes]));
}
