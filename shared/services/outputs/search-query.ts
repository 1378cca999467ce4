/**
 * Translates a person's search text into a query of SQLite's full-text index
 * (https://www.sqlite.org/fts5.html).
 */

import { withoutUnseen } from '../../core/text/unseen-characters.ts';

/** The query has no word to search for. */
class EmptySearch extends Error {
  override name = 'EmptySearch';
}

const MAX_TERMS = 64;
const MAX_CHARS = 1000;

/**
 * Pages must have all words: `word`, `"a phrase"`, `prefix*`; and none with a minus: `-word`, `-"a phrase"`. All other
 * characters are text. `column`: the words must be in this column, and words with a minus in no column. Throws {@link
 * EmptySearch} if no word is left to look for.
 */
export function searchQuery(text: string, column?: string): string {
  const wanted: string[] = [];
  const unwanted: string[] = [];
  for (const [, minus, phrase, word] of withoutUnseen(text.slice(0, MAX_CHARS)).matchAll(
    /(-?)(?:"([^"]*)"?|([^\s"]+))/g,
  )) {
    const isPrefix = phrase === undefined && word!.endsWith('*');
    const words = (phrase ?? word!).match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu);
    if (!words) continue;
    const term = `"${words.join(' ')}"${isPrefix ? '*' : ''}`;
    (minus === '-' ? unwanted : wanted).push(term);
    if (wanted.length + unwanted.length >= MAX_TERMS) break;
  }
  if (wanted.length === 0)
    throw new EmptySearch('Expected words to look for, such as: crawler "web archive" -spam');
  const all = wanted.join(' AND ');
  return [column === undefined ? all : `{${column}} : (${all})`, ...unwanted].join(' NOT ');
}
