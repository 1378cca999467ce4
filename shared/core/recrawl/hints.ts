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

/**
 * The weight of the past at each fetch of the same column, hinted or not: half after 693. So a host whose hints become
 * worthless loses its trust, and one that seldom hints is not forgotten for what it did not hint at.
 */
const FORGET = 0.999;

/** Counts as a head stores them. */
export function hintCountsOf(stored: readonly number[] | undefined): HintCounts {
  const [hintedChanged = 0, hintedUnchanged = 0, unhintedChanged = 0, unhintedUnchanged = 0] = stored ?? [];
  return { hintedChanged, hintedUnchanged, unhintedChanged, unhintedUnchanged };
}

/** Counts one fetch of a page that the host could have hinted at. */
export function countHint(counts: HintCounts, isHinted: boolean, hasChanged: boolean): HintCounts {
  const which = isHinted
    ? hasChanged
      ? 'hintedChanged'
      : 'hintedUnchanged'
    : hasChanged
      ? 'unhintedChanged'
      : 'unhintedUnchanged';
  const past = isHinted
    ? { hintedChanged: FORGET * counts.hintedChanged, hintedUnchanged: FORGET * counts.hintedUnchanged }
    : {
        unhintedChanged: FORGET * counts.unhintedChanged,
        unhintedUnchanged: FORGET * counts.unhintedUnchanged,
      };
  const kept = { ...counts, ...past };
  return { ...kept, [which]: kept[which] + 1 };
}

/** The page as it was fetched last, and the newest time that an earlier hint gave. */
export interface LastFetch {
  readonly fetchedAt: number;
  readonly hintedAt?: number | undefined;
}

const DAY_MS = 86_400_000;

/**
 * Whether a list that says that the page was modified at `modifiedAt` shows something new. A date without a time means
 * any moment of its day. A time that is far in the future is none; up to a day it may be one of another time zone.
 */
export function isHint(modifiedAt: number, { fetchedAt, hintedAt }: LastFetch, now: number): boolean {
  if (modifiedAt > now + DAY_MS || (hintedAt !== undefined && modifiedAt <= hintedAt)) return false;
  const isDate = modifiedAt % DAY_MS === 0;
  return (isDate ? modifiedAt + DAY_MS - 1 : modifiedAt) > fetchedAt;
}

/** Lists of fewer entries may well have one time. */
const MIN_ENTRIES = 10;
const MAX_EQUAL = 0.9;

/** Whether nearly all entries of a list have the same time: that of its build, which says nothing of a page. */
export function isBuildTime(times: readonly number[]): boolean {
  if (times.length < MIN_ENTRIES) return false;
  const counts = new Map<number, number>();
  for (const time of times) counts.set(time, (counts.get(time) ?? 0) + 1);
  return Math.max(...counts.values()) > MAX_EQUAL * times.length;
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
