import { expect, test } from 'vitest';
import { mixHash } from '../../../shared/core/base/mix-hash.ts';
import type { HashedBlocks } from '../../../shared/core/parser/hashed-blocks.ts';
import { changeDigest, hasChanged } from '../../../shared/core/recrawl/change-digest.ts';
import { createRepeatedBlocks } from '../../../shared/core/recrawl/repeated-blocks.ts';
import {
  SHORT_SKETCH_BYTES,
  SKETCH_BYTES,
  shortSimilarity,
  shortSketch,
  similarity,
  textSketch,
} from '../../../shared/core/recrawl/text-sketch.ts';

const NONE = { has: () => false };

/** Blocks of words, as numbers. */
function textOf(...blocks: readonly (readonly number[])[]): HashedBlocks {
  const words = blocks.flat().map((word) => mixHash(word + 1));
  let end = 0;
  return {
    blocks: Int32Array.from(blocks, (block) => block.reduce((hash, word) => mixHash(hash ^ (word + 1)), 7)),
    words: Int32Array.from(words),
    ends: Uint32Array.from(blocks, (block) => {
      end += block.length;
      return end;
    }),
  };
}
const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

test('a page without text has no digest', () => {
  expect(changeDigest(textOf(), NONE)).toBeUndefined();
  expect(textSketch(textOf([1, 2, 3]), NONE)).toBeUndefined();
});

test('another block, another order, one block less: changed; the same blocks: not', () => {
  const of = (...starts: number[]) => changeDigest(textOf(...starts.map((from) => range(from, 10))), NONE)!;
  expect(hasChanged(of(10, 20, 30), of(10, 20, 30))).toBe(false);
  for (const other of [of(10, 20, 40), of(10, 30, 20), of(10, 20), of(10, 20, 30, 30)]) {
    expect(hasChanged(of(10, 20, 30), other)).toBe(true);
  }
});

test('a change of what repeats on other pages is no change of the page', () => {
  const repeated = createRepeatedBlocks();
  const [old, fresh] = [range(1, 10), range(500, 10)];
  for (let page = 0; page < 12; page++) {
    const common = page < 6 ? old : fresh;
    repeated.countPage(mixHash(page), textOf(common, range(1000 * page, 10)).blocks);
  }
  const of = (common: number[], page: number) => changeDigest(textOf(common, range(page, 20)), repeated)!;
  expect(hasChanged(of(old, 90_000), of(fresh, 90_000))).toBe(false);
  expect(hasChanged(of(old, 90_000), of(fresh, 91_000))).toBe(true);
});

test('a page does not change because its blocks have become repeated ones since', () => {
  const repeated = createRepeatedBlocks();
  const page = textOf(range(1, 10), range(90_000, 20));
  const before = changeDigest(page, repeated)!;
  for (let other = 0; other < 12; other++)
    repeated.countPage(mixHash(other), textOf(range(1, 10), range(1000 * other, 10)).blocks);
  const after = changeDigest(page, repeated)!;
  expect(after.own).not.toBe(before.own);
  expect(hasChanged(before, after)).toBe(false);
});

test('a page of repeated blocks alone is compared by all of them', () => {
  const all = { has: () => true };
  expect(hasChanged(changeDigest(textOf([1]), all)!, changeDigest(textOf([2]), all)!)).toBe(true);
});

test.each([
  [0, 1],
  [20, 0.9],
  [200, 0.33],
  [400, 0],
])('sketches of texts with %i of 400 words exchanged show about their similarity', (exchanged, want) => {
  let sum = 0;
  let ofShort = 0;
  for (let page = 0; page < 20; page++) {
    const text = range(page * 10_000, 400);
    const other = [...text.slice(exchanged), ...range(page * 10_000 + 5000, exchanged)];
    const [a, b] = [textSketch(textOf(text), NONE)!, textSketch(textOf(other), NONE)!];
    expect(a.length).toBe(SKETCH_BYTES);
    sum += similarity(a, b) / 20;
    const [c, d] = [shortSketch(a), shortSketch(b)];
    expect(c.length).toBe(SHORT_SKETCH_BYTES);
    ofShort += shortSimilarity(c, d) / 20;
  }
  expect(Math.abs(sum - want)).toBeLessThan(0.07);
  expect(Math.abs(ofShort - want), 'short sketches').toBeLessThan(0.07);
});

test('repeated blocks are no part of a sketch: pages with the same frame are not alike', () => {
  const frame = range(1, 300);
  const page = (from: number) => textOf(frame, range(from, 100));
  const has = (block: number) => block === textOf(frame).blocks[0];
  const [a, b] = [page(10_000), page(20_000)];
  expect(similarity(textSketch(a, NONE)!, textSketch(b, NONE)!)).toBeGreaterThan(0.5);
  expect(similarity(textSketch(a, { has })!, textSketch(b, { has })!)).toBeLessThan(0.15);
});
