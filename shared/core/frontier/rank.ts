/**
 * Which waiting URL comes first. A rank is a small integer, lower is sooner: depth decides, and within about
 * two depths the number of pages that link to the URL.
 *
 * That number is not counted but estimated, as Flajolet and Martin do (1985): `level` is the most trailing
 * zero bits that any of the hashes of (URL, linking page) has, about log2 of the number of *distinct* linking
 * pages. So it needs three bits, and merging the same link again, or links in another order, changes nothing.
 */

import type { UrlKind } from '../url/url-kind.ts';
import type { Link } from './message.ts';
import type { UrlRecord } from './url-record.ts';

export const MAX_LEVEL = 7;
/** Deeper URLs are ranked like this depth. */
const MAX_RANKED_DEPTH = 15;
export const RANKS = 4 * MAX_RANKED_DEPTH + MAX_LEVEL + 1;

/** A requisite comes before all pages of its host, so that a page is whole before the next one is fetched. */
export const REQUISITE_RANK = 0;
/** Lower than that of any page with a depth. */
const SEED_RANK = 1;

/** 0 (requisites), 1 (seeds), to {@link RANKS} - 1. */
export function rankOf(depth: number, level: number, kind?: UrlKind): number {
  if (kind === 'requisite') return REQUISITE_RANK;
  if (depth === 0) return SEED_RANK;
  return 4 * Math.min(depth, MAX_RANKED_DEPTH) + MAX_LEVEL - level;
}

/** The level that one link from the page `via` lends to `url`; 0 for a link without a page. */
export function levelOf(url: string, via: string | undefined): number {
  if (via === undefined) return 0;
  const hash = mix(hashString(url) ^ Math.imul(hashString(via), 0x9e3779b1));
  return hash === 0 ? MAX_LEVEL : Math.min(MAX_LEVEL, 31 - Math.clz32(hash & -hash));
}

/**
 * Returns the level that a link gives to its URL: its own level, or the one from its page if that is higher.
 */
export function levelOfLink({ url, via, isSeed, level = 0 }: Link): number {
  return isSeed ? MAX_LEVEL : Math.min(MAX_LEVEL, Math.max(level, levelOf(url, via)));
}

/**
 * Whether the operator gave the URL, or a redirect from such a URL led to it. No other URL of depth 0 has
 * that level, but for one in 128 of those that a seed names as its canonical URL.
 */
export const isSeedRecord = ({ depth, level, kind, via }: UrlRecord): boolean =>
  depth === 0 && level === MAX_LEVEL && (kind === undefined || (kind === 'sitemap' && via === undefined));

/** FNV-1a, 32 bits. */
function hashString(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** MurmurHash3's finalizer: every bit of the input reaches the low bits. */
function mix(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
