/** The content that rendering adds to a page. */
import { hostKey } from '../url/host-key.ts';

export interface ReadPage {
  readonly url: string;
  readonly links: readonly { readonly url: string; readonly kind: string }[];
  /** Text of the main content. */
  readonly main: string;
  /** All text that a reader sees. */
  readonly visible: string;
  /** Its scripts have led elsewhere at once. */
  readonly isRedirect?: boolean;
}

/** A page with fewer words, or links to its host, counts as if it had this many: a single one more is not a gain. */
const LEAST_WORDS = 20;
const LEAST_LINKS = 5;
/** A page that shows fewer words than {@link LEAST_WORDS} in all counts as if it had as many as it shows, or this many. */
const FEWEST_WORDS = 4;
/** Rendering is needed if it adds more than this, in hundredths of the plain page. */
export const NEEDED_GAIN = 20;
/** A page of hardly any words that leads elsewhere: what is there may be all of the site. */
const REDIRECT_GAIN = 100;

/** Signs of writing without blanks count one by one. */
const WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu;

/**
 * The gain in hundredths: words of the main content, or links to the page's host, that the plain page does not have,
 * compared with those it has. Words that the plain page shows outside of its main content are not new, and neither are
 * links that `isNew` knows: a menu that scripts add to each page is worth it once.
 */
export function gainOf(plain: ReadPage, rendered: ReadPage, isNew: (url: string) => boolean): number {
  const shown = wordsOf(plain.visible);
  const words = newOf(wordsOf(rendered.main), shown);
  const least = Math.min(LEAST_WORDS, Math.max(FEWEST_WORDS, shown.length));
  const had = wordsOf(plain.main).length;
  if (rendered.isRedirect && had < LEAST_WORDS) return REDIRECT_GAIN;
  const known = new Set(linksOf(plain));
  const links = linksOf(rendered).filter((url) => !known.has(url) && isNew(url)).length;
  return 100 * Math.max(words / Math.max(least, had), links / Math.max(LEAST_LINKS, known.size));
}

/**
 * The share in hundredths of a route's words and links that its shell does not show: 0 for a slide of a page that holds all
 * slides. Undefined for a route that shows next to nothing, such as an error: it says nothing of the others. `isNew` as above.
 */
export function routeGain(
  shell: ReadPage,
  route: ReadPage,
  isNew: (url: string) => boolean,
): number | undefined {
  const words = wordsOf(route.main);
  const known = new Set(linksOf(shell));
  const links = linksOf(route);
  const others = links.filter((url) => !known.has(url) && isNew(url));
  const gain =
    100 *
    Math.max(
      newOf(words, wordsOf(shell.visible)) / Math.max(LEAST_WORDS, words.length),
      others.length / Math.max(LEAST_LINKS, links.length),
    );
  const isNearlyEmpty = words.length < LEAST_WORDS && 2 * words.length < wordsOf(shell.main).length;
  return isNearlyEmpty && gain <= NEEDED_GAIN ? undefined : gain;
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(WORDS) ?? [];

/** How many of `words` are not in `known`, each as often as it is there. */
function newOf(words: readonly string[], known: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of known) left.set(word, (left.get(word) ?? 0) + 1);
  let count = 0;
  for (const word of words) {
    const times = left.get(word) ?? 0;
    if (times > 0) left.set(word, times - 1);
    else count++;
  }
  return count;
}

/** Links to other pages of the page's host. */
export const linksOf = ({ url, links }: Pick<ReadPage, 'url' | 'links'>): readonly string[] =>
  links.flatMap((link) =>
    (link.kind === 'a' || link.kind === 'area') && link.url !== url && hostKey(link.url) === hostKey(url)
      ? [link.url]
      : [],
  );
