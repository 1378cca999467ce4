/** Search over the pages of a crawl, in a folder or on a stack. */
import { dirname } from 'node:path';
import { makeFolders } from '../../shared/engines/local/make-folders.ts';
import { searchQuery } from '../../shared/services/outputs/search-query.ts';
import type { DocumentOptions, SearchHit, SearchOptions, StoredCrawl } from '../stored-crawl.ts';
import { openSearchIndex, type SearchIndex } from './search-index.ts';

/** A crawl that is searched. */
export interface SearchedCrawl extends Pick<StoredCrawl, 'documents'> {
  /** The file of the index, unless the caller names another one. */
  readonly index: string;
  /** Returns another text as soon as anything was archived. */
  archiveState(): Promise<string>;
}

/**
 * Finds pages by their words. First brings the index up to the state of the crawl: each page that is not in it, or was
 * fetched again, is read from the archive.
 */
export async function search(
  crawl: SearchedCrawl,
  words: string,
  options: SearchOptions = {},
): Promise<SearchHit[]> {
  // A search that cannot be understood makes no index.
  searchQuery(words);
  return await withIndex(crawl, options, (index) => index.search(words, options));
}

/** Brings the index up to the state of the crawl. Returns the number of pages in it. */
export const updateSearch = (crawl: SearchedCrawl, options: SearchOptions = {}): Promise<number> =>
  withIndex(crawl, options, (index) => index.count());

async function withIndex<T>(
  crawl: SearchedCrawl,
  options: SearchOptions,
  use: (index: SearchIndex) => T,
): Promise<T> {
  const path = options.index ?? crawl.index;
  makeFolders(dirname(path));
  const index = openSearchIndex(path);
  try {
    await update(crawl, index, options);
    return use(index);
  } finally {
    index.close();
  }
}

async function update(
  crawl: SearchedCrawl,
  index: SearchIndex,
  { onIndexed, skip }: SearchOptions,
): Promise<void> {
  const state = await crawl.archiveState();
  if (index.state() === state) return;
  let added = 0;
  const isWanted: DocumentOptions['isWanted'] = (page) => !index.has(page);
  const options = { ...(skip && { skip }), isWanted, withoutMarkdown: true };
  for await (const document of crawl.documents(options)) {
    index.add(document);
    onIndexed?.(++added);
  }
  index.deleteOthers();
  index.setState(state);
}
