import { join } from 'node:path';

export type Folders = ReturnType<typeof foldersOf>;

/** Returns the paths in a crawl's folder. */
export const foldersOf = (folder: string) => ({
  database: join(folder, 'crawl.sqlite'),
  /** Large parts of ledgers. */
  ledgers: join(folder, 'ledgers'),
  /** WARC files. */
  archive: join(folder, 'archive'),
  /** Their CDXJ indexes. */
  indexes: join(folder, 'indexes'),
  /** The items of the hooks: lines of JSON. */
  items: join(folder, 'items.jsonl'),
  /** Values that hooks keep from page to page. */
  state: join(folder, 'state.sqlite'),
  /** The log of events, as lines of JSON; and the lines before, once the file is full. */
  log: join(folder, 'log.jsonl'),
  olderLog: join(folder, 'log.1.jsonl'),
  /** Bodies too large for memory, while they are handled. */
  temporary: join(folder, 'tmp'),
  /** The exports that the API makes. */
  exports: join(folder, 'exports'),
  /** Index of the pages' words, made by the first search. */
  search: join(folder, 'search.sqlite'),
  /** The pages as documents, where they are kept: lines of JSON, and the same as a table. */
  documents: join(folder, 'documents.jsonl'),
  documentTable: join(folder, 'documents.parquet'),
  /** Which of these files are kept up to date. */
  outputs: join(folder, 'outputs.json'),
  /** The documents that each destination has, made by `strand send`. */
  sinks: join(folder, 'sinks.sqlite'),
  /** Sketches of the pages' texts, made by the first look for duplicates. */
  sketches: join(folder, 'sketches.sqlite'),
});

/** Returns the number of the process that makes, or was making, this file of the folder; undefined for other files. */
export function makerOf(name: string): number | undefined {
  const pid = /^documents\.(?:jsonl|parquet)\.(\d+)(?:\.part)?$/.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** Where {@link Folders.outputs} is written before it has its name. */
export const unfinishedOutputs = ({ outputs }: Pick<Folders, 'outputs'>): string => `${outputs}.part`;
