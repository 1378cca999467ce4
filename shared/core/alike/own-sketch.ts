import type { HashedBlocks } from '../parser/hashed-blocks.ts';
import type { KnownBlocks } from '../recrawl/change-digest.ts';
import { countOwnWords, textSketch } from '../recrawl/text-sketch.ts';

/**
 * A page with fewer words of its own is not compared by its sketch alone: an entry of a reference, whose name and one word are what
 * matters, is nearly the same as the next one.
 */
export const MIN_WORDS = 64;
/** A page with fewer words is not compared word by word: one word that differs is too much. */
export const MIN_WORDS_READ = 32;

/** Returns the sketch of a page's own text, without the blocks in `common`; undefined if that is too short to be compared. */
export const ownSketch = (
  page: HashedBlocks,
  common: KnownBlocks,
  minWords = MIN_WORDS,
): Uint8Array | undefined => (countOwnWords(page, common) >= minWords ? textSketch(page, common) : undefined);
