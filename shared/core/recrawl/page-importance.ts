/** The importance of a page, by which it competes with others for fetches (`fetch-interval.ts`). */

/** Sitemaps, which list changed pages; seeds. */
const SITEMAP = 128;
const SEED = 32;
/** A page that is not known at all counts as this number of unseen changes of a page of importance 1. */
const NEW_PAGE = 4;

export interface ImportanceFacts {
  readonly isSitemap: boolean;
  readonly isSeed: boolean;
  /** About the binary logarithm of the number of linking pages. */
  readonly level: number;
  /** Links to new URLs that a change of the page brings, as a code; undefined: unknown. */
  readonly newLinks?: number | undefined;
  /** The factor that the project's hook has set, as a code; undefined: none. */
  readonly factor?: number | undefined;
}

/**
 * About twice as much for twice as many linking pages. A page whose changes bring links to new URLs is worth more by
 * what these are worth: a list of articles is fetched sooner than an article.
 */
export function pageImportance({ isSitemap, isSeed, level, newLinks, factor }: ImportanceFacts): number {
  if (isSitemap) return SITEMAP;
  return (factor === undefined ? 1 : factorOf(factor)) * withLinks({ isSeed, level, newLinks });
}

function withLinks({ isSeed, level, newLinks }: Omit<ImportanceFacts, 'isSitemap' | 'factor'>): number {
  // Seeds have the highest level, so that they are fetched first; that would be a seventh of the budget.
  const own = isSeed ? SEED : 2 ** level;
  return newLinks === undefined ? own : own + NEW_PAGE * newLinksOf(newLinks);
}

const STEPS_PER_OCTAVE = 32;
/** More new links of one change than that are the site's work of a day, or a trap. */
const MAX_NEW_LINKS = 64;
/** The weight of the last change in the mean. */
const NEWEST = 0.25;

/** Returns the mean number of new links that a code stands for. */
export const newLinksOf = (code: number): number => 2 ** (code / STEPS_PER_OCTAVE) - 1;

/**
 * Adds a change that has brought `links` new URLs to the mean. Returns it as a code of 8 bits; `before` as returned,
 * or undefined before the first change.
 */
export function withNewLinks(before: number | undefined, links: number): number {
  const counted = Math.min(MAX_NEW_LINKS, links);
  const known = before === undefined ? counted : newLinksOf(before);
  return Math.round(STEPS_PER_OCTAVE * Math.log2(1 + known + NEWEST * (counted - known)));
}

const FACTOR_STEPS = 12;
const FACTOR_ONE = 128;
/** The bounds of a factor: those of the setting `importance`. */
export const [MIN_FACTOR, MAX_FACTOR] = [0.001, 1000] as const;

/** Returns the factor that a code stands for. */
export const factorOf = (code: number): number => 2 ** ((code - FACTOR_ONE) / FACTOR_STEPS);

/** Returns a factor as a code of 8 bits, with an error of 3 % at most. */
export function factorCode(factor: number): number {
  const bounded = Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, factor));
  return FACTOR_ONE + Math.round(FACTOR_STEPS * Math.log2(bounded));
}
