/**
 * The words that a canonical URL of a search looks for, in lower case: the values of parameters that searches
 * are mostly named by (`?q=red+lamp`), and the segment after one of such a name in the path
 * (`/search/red-lamp`). A page of results names them all, so they do not count as its own text. At most 64.
 */
export function searchWords(url: string): Set<string> {
  const words = new Set<string>();
  const from = url.indexOf('/', 8);
  const mark = url.indexOf('?', from);
  const path = url.slice(from, mark < 0 ? undefined : mark);
  const named = SEARCH_SEGMENT.exec(path);
  if (named !== null) addWords(words, path.slice(named.index + named[0].length));
  if (mark >= 0)
    for (const parameter of url.slice(mark + 1).split('&', MAX_WORDS)) {
      const equals = parameter.indexOf('=');
      if (equals > 0 && SEARCH_PARAMETER.test(parameter.slice(0, equals)))
        addWords(words, parameter.slice(equals + 1));
    }
  return words;
}

function addWords(words: Set<string>, coded: string): void {
  for (const [word] of decoded(coded.replaceAll('+', ' ')).matchAll(WORD)) {
    if (words.size >= MAX_WORDS) return;
    words.add(word.toLowerCase());
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // No UTF-8.
    return text;
  }
}

/** Words of a text. */
export const WORD = /[\p{L}\p{M}\p{N}]+/gu;

const MAX_WORDS = 64;
const SEARCH_PARAMETER =
  /^(?:q|query|search|search_?(?:query|term|text|words?)|keywords?|kw|s|suche|suchbegriff|recherche|buscar|find|words?)$/i;
const SEARCH_SEGMENT = /\/(?:search|suche|recherche|buscar|find)\//i;
