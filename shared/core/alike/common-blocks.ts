/**
 * Finds the blocks that repeat on the pages of a host and belong to no single page: navigation, footers, sidebars, and
 * what the pages of a reference inherit.
 */
import type { HashedBlocks } from '../parser/hashed-blocks.ts';
import type { KnownBlocks } from '../recrawl/change-digest.ts';
import { similarity } from '../recrawl/text-sketch.ts';
import { ownSketch } from './own-sketch.ts';

/** A block is common on this share of the pages that are not copies, ... */
const SHARE = 0.02;
/** ... and on this number of them: a few pages that are alike have all of their blocks in common. */
const MIN_PAGES = 4;
/** A block on this share of all pages is common in any case. */
const SHARE_OF_ALL = 0.1;
/** Pages count as copies from this similarity on. */
const COPY = 0.95;

/** Counts on how many pages a block is. */
export class BlockCounts implements KnownBlocks {
  readonly #share: number;
  readonly #counts = new Map<number, number>();
  #pages = 0;
  #changes = 0;
  /** The pages that a common block is on, at least. */
  #least = MIN_PAGES;

  constructor(share = SHARE) {
    this.#share = share;
  }

  add({ blocks }: HashedBlocks): void {
    const before = this.#least;
    this.#pages++;
    const least = Math.max(MIN_PAGES, Math.ceil(this.#share * this.#pages));
    this.#least = least;
    let isChanged = least !== before;
    for (const block of new Set(blocks)) {
      const count = (this.#counts.get(block) ?? 0) + 1;
      this.#counts.set(block, count);
      isChanged ||= count === least;
    }
    if (isChanged) this.#changes++;
  }

  /** Grows whenever other blocks are common. */
  get changes(): number {
    return this.#changes;
  }

  /** Whether the block is common. */
  has(block: number): boolean {
    return (this.#counts.get(block) ?? 0) >= this.#least;
  }
}

/** The common blocks of a host, by a sample of its pages. Copies of a page count once. */
export function commonBlocks(pages: readonly HashedBlocks[]): KnownBlocks {
  const all = new BlockCounts(SHARE_OF_ALL);
  for (const page of pages) all.add(page);
  const distinct = new BlockCounts();
  const sketches: Uint8Array[] = [];
  for (const page of pages) {
    const sketch = ownSketch(page, all);
    if (sketch && sketches.some((other) => similarity(sketch, other) >= COPY)) continue;
    if (sketch) sketches.push(sketch);
    distinct.add(page);
  }
  return { has: (block) => all.has(block) || distinct.has(block) };
}
