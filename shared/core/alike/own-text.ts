/** A page's own text as it is compared word by word (`shared-text.ts`), and as it is stored: about two bytes a word. */
import type { HashedBlocks } from '../parser/hashed-blocks.ts';
import type { KnownBlocks } from '../recrawl/change-digest.ts';

export interface OwnText {
  /** 32 bits of each block. */
  readonly blocks: Int32Array;
  /** The index in `words` after each block's last word. */
  readonly ends: Uint32Array;
  /** 16 bits of each word. */
  readonly words: Uint16Array;
}

/** The number of words that {@link ownText} returns. */
export function ownWords(page: HashedBlocks, common: KnownBlocks): number {
  let count = 0;
  let from = 0;
  for (let n = 0; n < page.blocks.length; n++) {
    const end = page.ends[n] as number;
    if (!common.has(page.blocks[n] as number)) count += end - from;
    from = end;
  }
  return count;
}

/** Returns the text of a page without the blocks in `common`. */
export function ownText(page: HashedBlocks, common: KnownBlocks): OwnText {
  const blocks = new Int32Array(page.blocks.length);
  const ends = new Uint32Array(page.blocks.length);
  const words = new Uint16Array(page.words.length);
  let taken = 0;
  let count = 0;
  let from = 0;
  for (let n = 0; n < page.blocks.length; n++) {
    const end = page.ends[n] as number;
    const block = page.blocks[n] as number;
    if (!common.has(block)) {
      for (let at = from; at < end; at++) {
        const word = page.words[at] as number;
        words[count++] = word ^ (word >>> 16);
      }
      blocks[taken] = block;
      ends[taken++] = count;
    }
    from = end;
  }
  return {
    blocks: blocks.slice(0, taken),
    ends: ends.slice(0, taken),
    words: words.slice(0, count),
  };
}

/** The number of blocks, the blocks, their ends, the words. */
export function encodeOwnText({ blocks, ends, words }: OwnText): Uint8Array {
  const bytes = new Uint8Array(4 + 8 * blocks.length + 2 * words.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, blocks.length, true);
  for (let n = 0; n < blocks.length; n++) {
    view.setInt32(4 + 4 * n, blocks[n] as number, true);
    view.setUint32(4 + 4 * (blocks.length + n), ends[n] as number, true);
  }
  for (let at = 0; at < words.length; at++)
    view.setUint16(4 + 8 * blocks.length + 2 * at, words[at] as number, true);
  return bytes;
}

export function decodeOwnText(bytes: Uint8Array): OwnText {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(0, true);
  const blocks = new Int32Array(count);
  const ends = new Uint32Array(count);
  for (let n = 0; n < count; n++) {
    blocks[n] = view.getInt32(4 + 4 * n, true);
    ends[n] = view.getUint32(4 + 4 * (count + n), true);
  }
  const wordsAt = 4 + 8 * count;
  const words = new Uint16Array((bytes.length - wordsAt) >> 1);
  for (let at = 0; at < words.length; at++) words[at] = view.getUint16(wordsAt + 2 * at, true);
  return { blocks, ends, words };
}
