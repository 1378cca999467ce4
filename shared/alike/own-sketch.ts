import type { HashedBlocks } from '../parser/hashed-blocks.ts';
import type { KnownBlocks } from '../recrawl/change-digest.ts';
import { countOwnWords, textSketch } from '../recrawl/text-sketch.ts';

/**
 * A page with fewer words of its own is not compared: an entry of a reference, whose name and one word are what matters,
 * is nearly the same as the next one.
 */
export const MIN_WORDS = 64;

/** Returns the sketch of a page's own text, without the blocks in `common`; undefined if that is too short to be compared. */
export const ownSketch = (page: HashedBlocks, common: KnownBlocks): Uint8Array | undefined =>
  countOwnWords(page, common) >= MIN_WORDS ? textSketch(page, common) : undefined;
