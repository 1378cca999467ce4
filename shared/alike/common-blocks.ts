import type { HashedBlocks } from '../parser/hashed-blocks.ts';

/** A block is common on this share of the pages, ... */
const SHARE = 0.1;
/** ... and on this number of them: a few pages that are alike have all of their blocks in common. */
const MIN_PAGES = 4;

/** The blocks that repeat on the pages of a host: navigation, footers, sidebars. */
export function commonBlocks(pages: readonly HashedBlocks[]): ReadonlySet<number> {
  const counts = new Map<number, number>();
  for (const { blocks } of pages)
    for (const block of new Set(blocks)) counts.set(block, (counts.get(block) ?? 0) + 1);
  const least = Math.max(MIN_PAGES, SHARE * pages.length);
  return new Set([...counts].filter(([, count]) => count >= least).map(([block]) => block));
}
