import { join } from 'node:path';

export type Folders = ReturnType<typeof foldersOf>;

/** What a crawl's folder holds. */
export const foldersOf = (folder: string) => ({
  database: join(folder, 'crawl.sqlite'),
  /** Large parts of ledgers. */
  ledgers: join(folder, 'ledgers'),
  /** WARC files. */
  archive: join(folder, 'archive'),
  /** Their CDXJ indexes. */
  indexes: join(folder, 'indexes'),
  /** What hooks made of pages: lines of JSON. */
  items: join(folder, 'items.jsonl'),
  /** What hooks keep from page to page. */
  state: join(folder, 'state.sqlite'),
  /** What happened, as lines of JSON; and the lines before, once the file is full. */
  log: join(folder, 'log.jsonl'),
  olderLog: join(folder, 'log.1.jsonl'),
  /** Bodies too large for memory, while they are handled. */
  temporary: join(folder, 'tmp'),
  /** Index of the pages' words, made by the first search. */
  search: join(folder, 'search.sqlite'),
});
