/**
 * Recognizes a host that suddenly answers 404 everywhere: a site that is being moved, a broken deployment, a block in
 * disguise. Pages do not vanish all at once, so such answers show nothing of them for some weeks, and copies stay.
 */

/** Fetches of pages of which there were copies, by whether they are there; the old ones count less. */
export interface Vanishing {
  readonly gone: number;
  readonly there: number;
  /** Since when most are gone. */
  readonly since?: number | undefined;
}

export const NOTHING_VANISHED: Vanishing = { gone: 0, there: 0 };

/** The weight of the past at each fetch: about the last ten count. */
const FORGET = 0.9;
/** As many pages in a row, about, are taken to be gone before the host is suspected. */
const MIN_GONE = 4.5;
/** A host that answers so for longer has no pages any more. */
const BELIEVED_AFTER_MS = 28 * 86_400_000;

const areMostGone = ({ gone, there }: Vanishing): boolean => gone >= MIN_GONE && gone > there;

/** Adds the fetch of a page that had a copy. */
export function countVanishing(known: Vanishing, isGone: boolean, now: number): Vanishing {
  const next = { gone: FORGET * known.gone + Number(isGone), there: FORGET * known.there + Number(!isGone) };
  return areMostGone(next) ? { ...next, since: known.since ?? now } : next;
}

/** Whether the host's 404 show nothing of its pages. */
export const isVanished = (known: Vanishing, now: number): boolean =>
  known.since !== undefined && now - known.since < BELIEVED_AFTER_MS;
