import { WORD } from '../../../shared/core/url/search-words.ts';

const MAX_WORDS = 64;

/** Returns whether a URL has all the words, in any case, percent-encoding aside. Without words each URL has them. */
export function wordsIn(search = ''): (url: string) => boolean {
  const words = [...search.toLowerCase().matchAll(WORD)].slice(0, MAX_WORDS).map(([word]) => word);
  if (words.length === 0) return () => true;
  return (url) => {
    const text = readable(url).toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

function readable(url: string): string {
  if (!url.includes('%')) return url;
  try {
    return decodeURIComponent(url);
  } catch {
    // No UTF-8.
    return url;
  }
}
