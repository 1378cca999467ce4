/**
 * Hints that a page has changed: a newer `lastmod` in a sitemap, an entry in a feed. Few sites' hints are true, so
 * each host's are measured at its fetches, and count as far as they have proved true (Busa-Fekete et al., arXiv
 * 2502.02430).
 */

/** Fetches of a host's known pages by two facts: was there a hint since the fetch before, has the page changed. */
export interface HintCounts {
  readonly hintedChanged: number;
  readonly hintedUnchanged: number;
  readonly unhintedChanged: number;
  readonly unhintedUnchanged: number;
}

export const NO_HINTS: HintCounts = {
  hintedChanged: 0,
  hintedUnchanged: 0,
  unhintedChanged: 0,
  unhintedUnchanged: 0,
};

/** Counts one fetch of a page that the host could have hinted at. */
export function countHint(counts: HintCounts, isHinted: boolean, hasChanged: boolean): HintCounts {
  const which = isHinted
    ? hasChanged
      ? 'hintedChanged'
      : 'hintedUnchanged'
    : hasChanged
      ? 'unhintedChanged'
      : 'unhintedUnchanged';
  return { ...counts, [which]: counts[which] + 1 };
}

export interface HintTrust {
  /** The probability that a hint shows a change which would not have been expected anyway. */
  readonly precision: number;
  /** The share of changes that are hinted at. */
  readonly recall: number;
}

/**
 * Returns how far a host's hints are true. Pages change without hints too: if hinted pages have changed no more
 * often than others, both numbers are 0, however many of them have changed. So a site that sets each `lastmod` to
 * the time of its build gains nothing by it.
 */
export function hintTrust(counts: HintCounts): HintTrust {
  const { hintedChanged, hintedUnchanged, unhintedChanged, unhintedUnchanged } = counts;
  const hinted = share(hintedChanged, hintedUnchanged);
  const unhinted = share(unhintedChanged, unhintedUnchanged);
  const precision = Math.max(0, (hinted - unhinted) / (1 - unhinted));
  const recall = (share(hintedChanged, unhintedChanged) * precision) / hinted;
  return { precision: Math.min(MAX_TRUST, precision), recall: Math.min(MAX_TRUST, recall) };
}

/** No host's hints are trusted altogether. */
const MAX_TRUST = 0.95;

/** The share of `yes`, with the prior Beta(1, 2): one third while nothing is known. */
const share = (yes: number, no: number): number => (yes + 1) / (yes + no + 3);

/**
 * Returns the days by which `hints` hints since the last fetch make the page older than it is: it is due when its
 * days and these reach its interval. 0 for hints without worth; more than most intervals for a good one.
 *
 * @param changeRate Changes of the page per day.
 */
export const hintedDays = (hints: number, { precision, recall }: HintTrust, changeRate: number): number =>
  (-hints * Math.log1p(-precision)) / ((1 - recall) * changeRate);
