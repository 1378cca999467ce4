/** The features of each block of text by which the model separates main content from boilerplate. */
import { groupsOf, repeatsOf } from './alike-blocks.ts';
import type { HashedWords, TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import {
  AROUND,
  type Branches,
  branchesFrom,
  type ElementFacts,
  elementFacts,
  isLong,
} from './element-facts.ts';
import { FEATURES, LEVELS, NEIGHBOURS, OWN_TAGS } from './feature-names.ts';
import type { StructuredData } from './metadata.ts';
import { Shingles } from './shingles.ts';
import { SIGNS } from './signs.ts';
import { WordHashes } from './text-measure.ts';

/** Where the features of one kind begin. */
const TAGS_AT = FEATURES.indexOf(`is-${OWN_TAGS[0]}`);
const AROUND_AT = FEATURES.indexOf(`in-${AROUND[0]}`);
const NEAR_AT = FEATURES.indexOf(`near-${SIGNS[0]}`);
const ANY_AT = FEATURES.indexOf(`any-${SIGNS[0]}`);
const PLACE_AT = FEATURES.indexOf('depth');
const TAG_AT: ReadonlyMap<string, number> = new Map(OWN_TAGS.map((name, i) => [name, TAGS_AT + i]));
const HEADINGS: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const SENTENCE_ENDS = '.!?。:"”)';
const isSentenceEnd = (unit: number): boolean => SENTENCE_ENDS.includes(String.fromCharCode(unit));
/** Blocks to each side. */
const WINDOW = 5;
const KINDS = [/article|posting|news|blog/i, /product|offer/i, /forum|question|qapage|discussion/i];

/**
 * Calls `use` with one row of {@link FEATURES} for each block, which is valid during the call alone. Returns what `use`
 * returns. Work and memory are linear in elements and blocks.
 */
export function blockFeatures<T>(
  elements: readonly ContentElement[],
  blocks: readonly TextBlock[],
  structured: StructuredData,
  use: (row: Float64Array, block: number) => T,
): T[] {
  const { ofData: dataShares, ofTitle: titleShares, hasData } = sharesOf(blocks, structured);
  const facts = elementFacts(elements, blocks, dataShares);
  const alike = groupsOf(blocks);
  const types = structured.metadata.types.join(' ');
  const kinds = KINDS.map((kind) => (kind.test(types) ? 1 : 0));
  const repeats = repeatsOf(blocks);
  const h1 = blocks.findIndex(({ element }) => element.name === 'h1');
  const title = titleBlock(blocks, titleShares, h1);
  const titleElement = blocks[title]?.element.index ?? 0;
  const fromBest = branchesFrom(elements, facts.best);
  const fromTitle = branchesFrom(elements, titleElement);
  const [codeWords, termBlocks, cellBlocks] = pageShape(blocks);
  const { from, to } = bestRange(elements, blocks, facts.best);
  const pageWords = Math.max(1, facts.words[0]!);
  let wordsBefore = 0;
  let wordsToH1 = 0;
  let headingsBefore = 0;
  let sinceHeading = 99;

  const { wordsTo, linkWordsTo } = sumsOf(blocks);
  const isLongAt = Uint8Array.from(blocks, (block) => (isLong(block) ? 1 : 0));
  const levels = levelsOf(elements, facts);
  const row = new Float64Array(FEATURES.length);
  /** The bits that stand in the row. */
  let [around, near, any] = [0, 0, 0];
  let tagAt = -1;
  const results = new Array<T>(blocks.length);
  for (let i = 0; i < blocks.length; i++) {
    const { element, text, words, linkWords, counts } = blocks[i]!;
    const { index, name, parent } = element;
    if (i === h1) wordsToH1 = wordsBefore;

    row[0] = words;
    row[1] = text.length;
    row[2] = linkWords / Math.max(1, words);
    row[3] = counts.sentences;
    row[4] = counts.commas;
    row[5] = counts.digits / text.length;
    row[6] = counts.capitals / text.length;
    row[7] = text.length / Math.max(1, words);
    row[8] = isSentenceEnd(text.charCodeAt(text.length - 1)) ? 1 : 0;

    if (tagAt >= 0) row[tagAt] = 0;
    tagAt = TAG_AT.get(name) ?? -1;
    if (tagAt >= 0) row[tagAt] = 1;
    around = putBits(row, AROUND_AT, around, facts.around[index]!);
    near = putBits(row, NEAR_AT, near, facts.near[index]!);
    any = putBits(row, ANY_AT, any, facts.any[index]!);

    let at = PLACE_AT;
    row[at++] = facts.depth[index]!;
    row[at++] = i / blocks.length;
    row[at++] = wordsBefore / pageWords;
    row[at++] = h1 < 0 ? 0 : 1;
    row[at++] = h1 < 0 ? 0 : i - h1;
    row[at++] = h1 < 0 || i < h1 ? -1 : wordsBefore - wordsToH1;
    row[at++] = sinceHeading;
    row[at++] = headingsBefore;

    let level = index;
    for (let up = 0; up < LEVELS; up++) {
      const held = Math.max(1, facts.words[level]!);
      row[at++] = facts.words[level]!;
      row[at++] = facts.linkWords[level]! / held;
      row[at++] = facts.blocks[level]!;
      row[at++] = facts.long[level]! / held;
      row[at++] = facts.words[level]! / pageWords;
      level = levels[level]!;
    }

    const group = alike[i]!;
    row[at++] = parent ? facts.children[parent.index]! : 0;
    row[at++] = group.blocks;
    row[at++] = group.words;
    row[at++] = group.linkWords / Math.max(1, group.words);
    row[at++] = group.words / group.blocks;
    row[at++] = group.long / Math.max(1, group.words);

    row[at++] = i >= from && i <= to ? 1 : 0;
    row[at++] = facts.words[facts.best]! / pageWords;
    row[at++] = i < from ? i - from : i > to ? i - to : 0;
    row[at++] = facts.inMain[index]!;
    row[at++] = facts.hasMain ? 1 : 0;
    row[at++] = facts.articles;

    for (let n = 0; n < NEIGHBOURS.length; n++) {
      const other = i + NEIGHBOURS[n]!;
      const isThere = other >= 0 && other < blocks.length;
      const near = isThere ? blocks[other]! : NO_BLOCK;
      row[at++] = near.words;
      row[at++] = near.linkWords / Math.max(1, near.words);
      row[at++] = isThere ? isLongAt[other]! : 0;
      row[at++] = isThere && alike[other] === group ? 1 : 0;
    }

    const windowFrom = Math.max(0, i - WINDOW);
    const windowEnd = Math.min(blocks.length, i + WINDOW + 1);
    const windowWords = wordsTo[windowEnd]! - wordsTo[windowFrom]!;
    const windowLinks = linkWordsTo[windowEnd]! - linkWordsTo[windowFrom]!;
    row[at++] = windowWords;
    row[at++] = windowLinks / Math.max(1, windowWords);
    row[at++] = facts.words[0]!;
    row[at++] = facts.blocks[0]!;
    row[at++] = facts.linkWords[0]! / pageWords;
    row[at++] = facts.long[0]! / pageWords;
    row[at++] = facts.long[0]!;

    row[at++] = repeats[i]!;
    row[at++] = titleShares[i]!;
    row[at++] = dataShares[i]!;
    row[at++] = hasData ? 1 : 0;
    for (let kind = 0; kind < kinds.length; kind++) row[at++] = kinds[kind]!;
    row[at++] = dataShareOf(facts, index);
    row[at++] = dataShareOf(facts, parent?.parent?.index ?? 0);

    at = putBranch(at, fromBest, index);
    at = putBranch(at, fromTitle, index);
    row[at++] = title < 0 ? 0 : 1;
    row[at++] = title < 0 ? 0 : i - title;
    row[at++] = element.whole === 'code' || name === 'pre' ? 1 : 0;
    row[at++] = codeWords / pageWords;
    row[at++] = termBlocks / blocks.length;
    row[at++] = cellBlocks / blocks.length;

    wordsBefore += words;
    if (HEADINGS.has(name)) {
      sinceHeading = 1;
      headingsBefore++;
    } else sinceHeading++;
    results[i] = use(row, i);
  }
  return results;

  function putBranch(at: number, { branches, target }: Branches, index: number): number {
    const branch = branches[index]!;
    const held = Math.max(1, facts.words[branch]!);
    const around = branch === 0 ? index : elements[branch]!.parent!.index;
    row[at] = facts.depth[target]! - facts.depth[around]!;
    row[at + 1] = facts.words[branch]!;
    row[at + 2] = facts.linkWords[branch]! / held;
    row[at + 3] = facts.blocks[branch]!;
    row[at + 4] = facts.long[branch]! / held;
    row[at + 5] = facts.words[around]! / pageWords;
    return at + 6;
  }
}

const NO_BLOCK = { words: 0, linkWords: 0 };

/** Writes a number for each bit that differs from those that stand there. Returns the bits. */
function putBits(row: Float64Array, at: number, before: number, bits: number): number {
  for (let differing = before ^ bits; differing !== 0; differing &= differing - 1) {
    const bit = 31 - Math.clz32(differing & -differing);
    row[at + bit] = (bits >>> bit) & 1;
  }
  return bits;
}

/** For each element that holds blocks, the innermost one around it that holds more. 0 for those around all. */
function levelsOf(elements: readonly ContentElement[], { blocks }: ElementFacts): Int32Array {
  const levels = new Int32Array(elements.length);
  for (let i = 1; i < elements.length; i++) {
    if (blocks[i] === 0) continue;
    const up = elements[i]!.parent!.index;
    levels[i] = blocks[up] === blocks[i] ? levels[up]! : up;
  }
  return levels;
}

/** The heading that says most of the page's title; the first `h1` if none does. -1 if there is none. */
function titleBlock(blocks: readonly TextBlock[], titleShares: Float64Array, h1: number): number {
  let found = h1;
  let most = 0.5;
  for (const [i, { element }] of blocks.entries())
    if (titleShares[i]! > most && HEADINGS.has(element.name)) {
      found = i;
      most = titleShares[i]!;
    }
  return found;
}

/** The words of code, the blocks of terms and of cells. */
function pageShape(blocks: readonly TextBlock[]): [number, number, number] {
  let code = 0;
  let terms = 0;
  let cells = 0;
  for (const { element, words } of blocks) {
    if (element.whole === 'code' || element.name === 'pre') code += words;
    else if (element.name === 'dt') terms++;
    else if (element.name === 'td' || element.name === 'th') cells++;
  }
  return [code, terms, cells];
}

const dataShareOf = ({ dataWords, words }: ElementFacts, index: number): number =>
  dataWords[index]! / Math.max(1, words[index]!);

/** The words and the words in links before each block, and before the end. */
function sumsOf(blocks: readonly TextBlock[]) {
  const wordsTo = new Float64Array(blocks.length + 1);
  const linkWordsTo = new Float64Array(blocks.length + 1);
  for (const [i, { words, linkWords }] of blocks.entries()) {
    wordsTo[i + 1] = wordsTo[i]! + words;
    linkWordsTo[i + 1] = linkWordsTo[i]! + linkWords;
  }
  return { wordsTo, linkWordsTo };
}

/** The first and the last block within an element: they are adjacent. */
function bestRange(
  elements: readonly ContentElement[],
  blocks: readonly TextBlock[],
  best: number,
): { from: number; to: number } {
  let last = best;
  // The elements within it come right after it.
  while (last + 1 < elements.length && elements[last + 1]!.parent!.index >= best) last++;
  const isWithin = ({ element }: TextBlock) => element.index >= best && element.index <= last;
  return { from: blocks.findIndex(isWithin), to: blocks.findLastIndex(isWithin) };
}

/** Longer texts are not titles. */
const MAX_TITLE = 300;

/** The shares of each block's text that are in the page's structured data, and in its title. */
function sharesOf(
  blocks: readonly TextBlock[],
  { modelTitle, texts }: StructuredData,
): { readonly ofData: Float64Array; readonly ofTitle: Float64Array; readonly hasData: boolean } {
  const data = new Shingles(texts);
  const words = new WordHashes();
  words.read(modelTitle.slice(0, MAX_TITLE));
  const title = new Set(words.hashes.subarray(0, words.count));
  const ofData = new Float64Array(blocks.length);
  const ofTitle = new Float64Array(blocks.length);
  for (let i = 0; i < blocks.length; i++) {
    const { text, hashed } = blocks[i]!;
    ofData[i] = data.shareOf(hashed);
    if (title.size > 0 && text.length <= MAX_TITLE) ofTitle[i] = shareIn(title, hashed);
  }
  return { ofData, ofTitle, hasData: data.size > 0 };
}

function shareIn(known: ReadonlySet<number>, { all, from, end }: HashedWords): number {
  let hits = 0;
  for (let i = from; i < end; i++) if (known.has(all.hashes[i]!)) hits++;
  return from === end ? 0 : hits / (end - from);
}
