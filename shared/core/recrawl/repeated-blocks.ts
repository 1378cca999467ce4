/**
 * Which blocks of text repeat on a host's pages: navigation, footers, advertisements, lists of the newest entries.
 * 1 KB a host. Two steps, as most blocks are on one page only: a Bloom filter of the last pages' blocks, and a
 * table of those that were then met on another page. Blocks that no longer come leave the table.
 */
import { mixHash } from '../base/mix-hash.ts';

export interface RepeatedBlocks {
  /** Whether the block (32 bits of its text) was met on three pages, about. */
  has(block: number): boolean;
  /**
   * Counts the blocks of a page, once while the filter lasts: so a page that is fetched each hour makes none of its
   * own blocks a repeated one. `page`: 32 bits of its URL. For pages that are new, or that have changed: blocks that
   * come and go are on these.
   */
  countPage(page: number, blocks: ArrayLike<number>): void;
  /** The state: {@link REPEATED_BLOCKS_BYTES} bytes, which change with the next page. */
  readonly bytes: Uint8Array;
}

export const REPEATED_BLOCKS_BYTES = 1024;

/** As `bytes` of another one say, which are copied; without: none is known. Bytes of another length too. */
export function createRepeatedBlocks(stored?: Uint8Array): RepeatedBlocks {
  const bytes = new Uint8Array(REPEATED_BLOCKS_BYTES);
  if (stored?.length === REPEATED_BLOCKS_BYTES) bytes.set(stored);
  const view = new DataView(bytes.buffer);
  return {
    bytes,
    has: (block) => countOf(bytes, findEntry(bytes, block)) >= REPEATED,
    countPage(page, blocks) {
      const name = mixHash(page) & 0xffff;
      const pages = Math.min(view.getUint8(PAGES), MAX_PAGES);
      for (let n = 0; n < pages; n++) if (view.getUint16(PAGE_NAMES + 2 * n) === name) return;
      const others = distinct(blocks).filter((block) => !countBlock(view, bytes, block, name & 0xf));
      addToFilter(view, bytes, others);
      view.setUint16(PAGE_NAMES + 2 * pages, name);
      view.setUint8(PAGES, pages + 1);
      if (pages + 1 >= MAX_PAGES || view.getUint16(IN_FILTER) >= MAX_IN_FILTER) beginAgain(view);
    },
  };
}

/** A block that is in the table was met on two pages; with this number of counts it is repeated. */
const REPEATED = 3;
const MAX_COUNT = 15;
/** The filter begins again after this number of pages or blocks: about 2 % of other blocks seem met then. */
const MAX_PAGES = 32;
const MAX_IN_FILTER = 320;
/** A page with more blocks adds a part of them, by their hashes: the same of each page. */
const MAX_OF_PAGE = 160;
/** Each time that the filter has begun again this number of times, all counts of the table fall by one. */
const FILTERS_TO_AGE = 4;

// The layout: four small numbers, the names of the filter's pages, the table, the filter.
const PAGES = 0;
const FILTERS = 1;
const IN_FILTER = 2;
const PAGE_NAMES = 4;
const TABLE = PAGE_NAMES + 2 * MAX_PAGES;
/** An entry: 16 bits of the block, a count of 4 bits, 4 bits of the page that it was counted on last. */
const ENTRY_BYTES = 3;
const ENTRIES_OF_BUCKET = 16;
const BUCKETS = 10;
const TABLE_END = TABLE + BUCKETS * ENTRIES_OF_BUCKET * ENTRY_BYTES;
const FILTER_BITS = 8 * (REPEATED_BLOCKS_BYTES - TABLE_END);
const FILTER_HASHES = 3;

const bucketOf = (block: number): number =>
  TABLE + ((block >>> 16) % BUCKETS) * ENTRIES_OF_BUCKET * ENTRY_BYTES;

/** Each block once, in the order of the first ones. */
function distinct(blocks: ArrayLike<number>): number[] {
  let places = 64;
  while (places < 2 * blocks.length) places *= 2;
  // The number of a block in `found`, from 1 on, in the first free slot from its low bits on.
  const numbers = new Uint16Array(places);
  const found: number[] = [];
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i] as number;
    let place = block & (places - 1);
    for (let n = numbers[place] as number; n !== 0 && found[n - 1] !== block; n = numbers[place] as number)
      place = (place + 1) & (places - 1);
    if (numbers[place] === 0) numbers[place] = found.push(block);
  }
  return found;
}

/** The index of the block's entry, or -1. */
function findEntry(bytes: Uint8Array, block: number): number {
  const first = bucketOf(block);
  const [high, low] = [(block >>> 8) & 0xff, block & 0xff];
  for (let at = first; at < first + ENTRIES_OF_BUCKET * ENTRY_BYTES; at += ENTRY_BYTES)
    if (bytes[at + 1] === low && bytes[at] === high && countOf(bytes, at) > 0) return at;
  return -1;
}

const countOf = (bytes: Uint8Array, at: number): number => (at < 0 ? 0 : (bytes[at + 2] as number) >>> 4);

/** Returns whether the block is in the table. */
function countBlock(view: DataView, bytes: Uint8Array, block: number, page: number): boolean {
  const at = findEntry(bytes, block);
  if (at >= 0) {
    const isOtherPage = ((bytes[at + 2] as number) & 0xf) !== page;
    if (isOtherPage) bytes[at + 2] = (Math.min(MAX_COUNT, countOf(bytes, at) + 1) << 4) | page;
    return true;
  }
  if (!isInFilter(bytes, block)) return false;
  const free = rarestEntry(bytes, block);
  if (countOf(bytes, free) >= REPEATED) return false;
  view.setUint16(free, block & 0xffff);
  bytes[free + 2] = (2 << 4) | page;
  return true;
}

function rarestEntry(bytes: Uint8Array, block: number): number {
  const first = bucketOf(block);
  let rarest = first;
  for (let n = 1; n < ENTRIES_OF_BUCKET; n++) {
    const at = first + n * ENTRY_BYTES;
    if (countOf(bytes, at) < countOf(bytes, rarest)) rarest = at;
  }
  return rarest;
}

function addToFilter(view: DataView, bytes: Uint8Array, blocks: readonly number[]): void {
  let mask = 0;
  while (blocks.length > MAX_OF_PAGE * (mask + 1)) mask = 2 * mask + 1;
  let added = 0;
  for (const block of blocks) {
    if ((block & mask) !== 0) continue;
    const mixed = mixedForFilter(block);
    for (let n = 0; n < FILTER_HASHES; n++) {
      const bit = filterBit(mixed, n);
      const at = TABLE_END + (bit >>> 3);
      bytes[at] = (bytes[at] as number) | (1 << (bit & 7));
    }
    added++;
  }
  view.setUint16(IN_FILTER, Math.min(0xffff, view.getUint16(IN_FILTER) + added));
}

function isInFilter(bytes: Uint8Array, block: number): boolean {
  const mixed = mixedForFilter(block);
  for (let n = 0; n < FILTER_HASHES; n++) {
    const bit = filterBit(mixed, n);
    if ((((bytes[TABLE_END + (bit >>> 3)] as number) >>> (bit & 7)) & 1) === 0) return false;
  }
  return true;
}

/** The `n`th bit of a block in the filter. */
const filterBit = (mixed: number, n: number): number =>
  ((mixed + Math.imul(n, (mixed >>> 15) | 1)) >>> 0) % FILTER_BITS;

/** A hash that is independent of that of the table. */
const mixedForFilter = (block: number): number => mixHash(block ^ 0x5bd1e995);

function beginAgain(view: DataView): void {
  view.setUint8(PAGES, 0);
  view.setUint16(IN_FILTER, 0);
  for (let at = TABLE_END; at < REPEATED_BLOCKS_BYTES; at++) view.setUint8(at, 0);
  const filters = (view.getUint8(FILTERS) + 1) % FILTERS_TO_AGE;
  view.setUint8(FILTERS, filters);
  if (filters !== 0) return;
  for (let at = TABLE; at < TABLE_END; at += ENTRY_BYTES) {
    const rest = view.getUint8(at + 2);
    if (rest >= 0x10) view.setUint8(at + 2, rest - 0x10);
  }
}
