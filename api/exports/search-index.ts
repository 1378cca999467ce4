/** The full-text index of a crawl's pages, a file of SQLite. Made of the archive on demand. */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { primaryLanguage } from '../../shared/core/text/primary-language.ts';
import { withoutUnseen } from '../../shared/core/text/unseen-characters.ts';
import { inTransaction } from '../../shared/engines/local/database.ts';
import { openSqlite } from '../../shared/engines/local/open-sqlite.ts';
import type { DocumentRow } from '../../shared/services/outputs/document-row.ts';
import { searchQuery } from '../../shared/services/outputs/search-query.ts';
import type { SearchHit, SearchOptions } from '../stored-crawl.ts';

/** A concurrent search may be adding pages. */
const TIMEOUT_MS = 60_000;
/** Pages are added together. */
const BATCH = 200;
/** A word of the title counts this many times as much as a word of the text. */
const TITLE_WEIGHT = 5;
const SNIPPET_WORDS = 24;
const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 1000;
/**
 * Pages that are ranked. Of words that this number of pages have, those with all of them in their titles come first:
 * SQLite goes through all pages with a word before it ranks the first one, once for each mention of it in the query.
 */
const MAX_RANKED = 10_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS pages (
    id INTEGER PRIMARY KEY, url TEXT UNIQUE NOT NULL, host TEXT NOT NULL, title TEXT, language TEXT,
    fetched_at TEXT NOT NULL, capture TEXT NOT NULL, warc_file TEXT, warc_offset INTEGER, usage TEXT
  );
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    title, text, tokenize = 'unicode61 remove_diacritics 2'
  );
`;

type CapturedPage = Pick<DocumentRow, 'url' | 'location'>;

/** The facts of a page that the index has. */
type IndexedPage = Pick<
  DocumentRow,
  'url' | 'title' | 'language' | 'fetchedAt' | 'location' | 'usage' | 'text'
>;

export interface SearchIndex {
  /** The value last given to {@link setState}: the state of the crawl that this index represents. */
  state(): string | undefined;
  setState(state: string): void;
  /** Whether this capture of the page is in the index. Then the page is one that is kept. */
  has(page: CapturedPage): boolean;
  add(document: DocumentRow): void;
  /** Deletes the pages that were neither requested nor added since the index was opened. */
  deleteOthers(): void;
  /** Pages in the index. */
  count(): number;
  search(words: string, options: SearchOptions): SearchHit[];
  close(): void;
}

const captureOf = ({ location }: CapturedPage): string => JSON.stringify([location?.file, location?.offset]);

export const openSearchIndex = (path: string): SearchIndex => new SqliteIndex(path);

class SqliteIndex implements SearchIndex {
  readonly #database: DatabaseSync;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #insertWords: StatementSync;
  readonly #deletePage: StatementSync;
  readonly #deleteWords: StatementSync;
  readonly #kept = new Set<number>();
  #pending: IndexedPage[] = [];

  constructor(path: string) {
    const database = openSqlite(path, { timeout: TIMEOUT_MS, hasFullText: true });
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${SCHEMA}`);
    this.#database = database;
    this.#find = database.prepare('SELECT id, capture FROM pages WHERE url = ?');
    this.#insert = database.prepare(
      `INSERT INTO pages (url, host, title, language, fetched_at, capture, warc_file, warc_offset, usage)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    );
    this.#insertWords = database.prepare('INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)');
    this.#deletePage = database.prepare('DELETE FROM pages WHERE id = ?');
    this.#deleteWords = database.prepare('DELETE FROM words WHERE rowid = ?');
  }

  state(): string | undefined {
    const row = this.#database.prepare("SELECT value FROM meta WHERE key = 'state'").get();
    return row?.value as string | undefined;
  }

  setState(state: string): void {
    this.#flush();
    this.#database.prepare("INSERT OR REPLACE INTO meta VALUES ('state', ?)").run(state);
  }

  has(page: CapturedPage): boolean {
    const row = this.#find.get(page.url) as { id: number; capture: string } | undefined;
    if (row?.capture !== captureOf(page)) return false;
    this.#kept.add(row.id);
    return true;
  }

  add({ url, title, language, fetchedAt, location, usage, text }: DocumentRow): void {
    // Not all of the row: a batch of its Markdown is many megabytes, which each collection of garbage would copy.
    this.#pending.push({ url, title: title && ownCopy(title), language, fetchedAt, location, usage, text });
    if (this.#pending.length >= BATCH) this.#flush();
  }

  deleteOthers(): void {
    this.#flush();
    const all = this.#database.prepare('SELECT id FROM pages').all() as { id: number }[];
    const others = all.map(({ id }) => id).filter((id) => !this.#kept.has(id));
    inTransaction(this.#database, () => {
      for (const id of others) this.#deletePage.run(id);
      for (const id of others) this.#deleteWords.run(id);
    });
  }

  count(): number {
    this.#flush();
    return this.#database.prepare('SELECT count(*) AS count FROM pages').get()?.count as number;
  }

  search(words: string, options: SearchOptions): SearchHit[] {
    return runSearch(this.#database, words, options);
  }

  close(): void {
    this.#database.close();
  }

  #flush(): void {
    if (this.#pending.length === 0) return;
    const batch = this.#pending;
    this.#pending = [];
    inTransaction(this.#database, () => {
      // A write to another table in between would make FTS5 write its index out: half of the work.
      const pages = new Map(batch.map((document) => [document.url, document]));
      const before = [...pages.keys()].flatMap(
        (url) => (this.#find.get(url) as { id: number } | undefined)?.id ?? [],
      );
      for (const id of before) this.#deletePage.run(id);
      const ids = [...pages.values()].map((document) => this.#insertPage(document));
      for (const id of before) this.#deleteWords.run(id);
      for (const [i, { title, text }] of [...pages.values()].entries())
        this.#insertWords.run(ids[i]!, withoutUnseen(title ?? ''), withoutUnseen(text));
    });
  }

  #insertPage(document: IndexedPage): number {
    const { url, title, language, fetchedAt, location, usage } = document;
    const row = this.#insert.get(
      url,
      URL.parse(url)?.host ?? '',
      title ?? null,
      language ?? null,
      fetchedAt,
      captureOf(document),
      location?.file ?? null,
      location?.offset ?? null,
      usage ? JSON.stringify(usage) : null,
    );
    const { id } = row as { id: number };
    this.#kept.add(id);
    return id;
  }
}

/** A text cut out of a page keeps the whole page in memory. */
const ownCopy = (text: string): string => Buffer.from(text).toString();

function runSearch(
  database: DatabaseSync,
  words: string,
  { host, language, since, limit = DEFAULT_LIMIT, marks = ['', ''] }: SearchOptions,
): SearchHit[] {
  const query = searchQuery(words);
  // The words of a prefix are gathered for each statement, which takes longer than to rank all pages.
  const isPrefix = query.includes('*');
  const conditions: string[] = [];
  const values: string[] = [];
  const where = (condition: string, value: string | undefined) => {
    if (value === undefined) return;
    conditions.push(` AND ${condition}`);
    values.push(value);
  };
  where('host = ?', host?.toLowerCase());
  where('language = ?', language && (primaryLanguage(language) ?? language));
  where('fetched_at >= ?', since?.toISOString());
  const most = Math.min(limit, MAX_LIMIT);
  const pages = conditions.length > 0 ? 'CROSS JOIN pages ON pages.id = words.rowid' : '';
  const candidates = database.prepare(
    `SELECT id, rank, count(*) OVER () AS total FROM (
       SELECT words.rowid AS id, bm25(words, ${TITLE_WEIGHT}, 1) AS rank FROM words ${pages}
       WHERE words MATCH ?${conditions.join('')} LIMIT ${isPrefix ? -1 : MAX_RANKED}
     ) ORDER BY rank LIMIT ?`,
  );
  const ranked = (text: string) => candidates.all(text, ...values, most) as unknown as Candidate[];
  const isEverywhere = () => {
    const found = `SELECT 1 FROM words WHERE words MATCH ? LIMIT ${MAX_RANKED}`;
    return database.prepare(`SELECT count(*) AS count FROM (${found})`).get(query)?.count === MAX_RANKED;
  };
  // To rank pages takes longer than to count them, unless a filter must be looked up for each.
  const all = isPrefix || conditions.length > 0 || !isEverywhere() ? ranked(query) : undefined;
  const isCut = !isPrefix && (all === undefined || all[0]?.total === MAX_RANKED);
  // The best pages of a word that is almost everywhere are those with the word in their titles.
  const inTitles = isCut ? ranked(searchQuery(words, 'title')) : [];
  const others = inTitles.length < most ? (all ?? ranked(query)) : [];
  const places = new Map<number, Place>();
  for (const [group, found] of [inTitles, others].entries())
    for (const { id, rank } of found)
      if (!places.has(id) && places.size < most) places.set(id, { group, rank });
  const ids = [...places.keys()];
  const shown = (where: string) =>
    database.prepare(
      `SELECT pages.id AS id, url, pages.title AS title, language, fetched_at AS fetchedAt, warc_file AS file,
         warc_offset AS offset, usage, snippet(words, 1, ?, ?, ' ... ', ${SNIPPET_WORDS}) AS snippet
       FROM words JOIN pages ON pages.id = words.rowid WHERE words MATCH ? AND ${where}`,
    );
  // As an integer: FTS5 does not compare a rowid that is bound as a double, and returns all.
  const rows = (isPrefix
    ? shown(`+words.rowid IN (${ids.join()})`).all(...marks, query)
    : ids.flatMap((id) =>
        shown('words.rowid = ?').all(...marks, query, BigInt(id)),
      )) as unknown as FoundRow[];
  return rows
    .sort((x, y) => {
      const [one, other] = [places.get(x.id)!, places.get(y.id)!];
      return one.group - other.group || one.rank - other.rank || (x.url < y.url ? -1 : 1);
    })
    .map(({ url, title, language, fetchedAt, snippet, file, offset, usage }) => ({
      url,
      ...(title !== null && { title }),
      ...(language !== null && { language }),
      fetchedAt,
      snippet: snippet.replace(/\s+/g, ' ').trim(),
      ...(file !== null && offset !== null && { place: { file, offset } }),
      ...(usage !== null && { usage: JSON.parse(usage) }),
    }));
}

interface Candidate {
  readonly id: number;
  /** The better the smaller. */
  readonly rank: number;
  /** Pages that were ranked. */
  readonly total: number;
}

/** Ranks of two groups cannot be compared: those of the first come first. */
interface Place {
  readonly group: number;
  readonly rank: number;
}

interface FoundRow {
  readonly id: number;
  readonly url: string;
  readonly title: string | null;
  readonly language: string | null;
  readonly fetchedAt: string;
  readonly snippet: string;
  readonly file: string | null;
  readonly offset: number | null;
  readonly usage: string | null;
}
