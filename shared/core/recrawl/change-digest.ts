/**
 * Decides whether a page has changed, by 8 bytes of its text: 4 of all blocks, 4 of those that do not repeat on the
 * host's other pages. If either is the same as at the last fetch, the page has not changed. The first digest does not
 * depend on which blocks repeat on other pages, the second does not depend on the content of repeated blocks.
 *
 * A digest of the payload sees each clock, token, counter and advertisement. If 30 % of pages seem to change at
 * each fetch, a crawl that recrawls what has changed spends twice the fetches.
 */
import { mixHash } from '../base/mix-hash.ts';
import type { HashedBlocks } from '../parser/hashed-blocks.ts';

export interface ChangeDigest {
  /** 32 bits of all blocks, in order. */
  readonly all: number;
  /** 32 bits of the blocks that are the page's own, in order. */
  readonly own: number;
}

/** Blocks that repeat on the host's other pages: `RepeatedBlocks`. */
export interface KnownBlocks {
  has(block: number): boolean;
}

/**
 * Returns the digest of a page; undefined if it has no text that counts (an image, a page of scripts): compare the
 * payload then. Takes the blocks before or after they are counted for the host, but always the same.
 */
export function changeDigest({ blocks }: HashedBlocks, repeated: KnownBlocks): ChangeDigest | undefined {
  if (blocks.length === 0) return undefined;
  let all = 0;
  let own = 0;
  for (const block of blocks) {
    all = mixHash((all ^ block) + GOLDEN);
    if (!repeated.has(block)) own = mixHash((own ^ block) + GOLDEN);
  }
  // A page of repeated blocks alone is compared by all of them.
  return { all, own: own === 0 ? all : own };
}

export const hasChanged = (before: ChangeDigest, after: ChangeDigest): boolean =>
  before.all !== after.all && before.own !== after.own;

const GOLDEN = 0x9e3779b9;
