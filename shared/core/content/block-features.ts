/** The features of each block of text by which the model separates main content from boilerplate. */
import { groupsOf } from './alike-blocks.ts';
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import { AROUND, branchesFrom, type ElementFacts, elementFacts, isLong } from './element-facts.ts';
import { FEATURES, LEVELS, NEIGHBOURS, OWN_TAGS } from './feature-names.ts';
import type { StructuredData } from './metadata.ts';
import { shareOf, shinglesOf } from './shingles.ts';
import { SIGNS } from './signs.ts';
import { eachWord } from './text-measure.ts';

const TAG_AT: ReadonlyMap<string, number> = new Map(OWN_TAGS.map((name, i) => [name, i]));
const HEADINGS: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const SENTENCE_ENDS: ReadonlySet<string> = new Set('.!?。:"”)');
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
  { metadata, modelTitle, texts }: StructuredData,
  use: (row: Float64Array) => T,
): T[] {
  const data = shinglesOf(texts);
  const dataShares = blocks.map(({ text }) => shareOf(text, data));
  const facts = elementFacts(elements, blocks, dataShares);
  const alike = groupsOf(blocks);
  const titleWords = wordsOf(modelTitle);
  const types = metadata.types.join(' ');
  const kinds = KINDS.map((kind) => (kind.test(types) ? 1 : 0));
  const repeats = countsOf(blocks);
  const h1 = blocks.findIndex(({ element }) => element.name === 'h1');
  const titleShares = blocks.map(({ text }) => shareOfWords(text, titleWords));
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
  const row = new Float64Array(FEATURES.length);
  let at = 0;
  const put = (value: number) => {
    row[at++] = value;
  };
  const putBits = (bits: number, length: number) => {
    for (let bit = 0; bit < length; bit++) row[at++] = (bits >> bit) & 1;
  };

  const putBranch = (branches: Int32Array, target: number, index: number) => {
    const branch = branches[index]!;
    const held = Math.max(1, facts.words[branch]!);
    const around = branch === 0 ? index : elements[branch]!.parent!.index;
    put(facts.depth[target]! - facts.depth[around]!);
    put(facts.words[branch]!);
    put(facts.linkWords[branch]! / held);
    put(facts.blocks[branch]!);
    put(facts.long[branch]! / held);
    put(facts.words[around]! / pageWords);
  };

  return blocks.map((block, i) => {
    const { element, text, words, linkWords, counts } = block;
    const { index, name, parent } = element;
    if (i === h1) wordsToH1 = wordsBefore;
    at = 0;

    put(words);
    put(text.length);
    put(linkWords / Math.max(1, words));
    put(counts.sentences);
    put(counts.commas);
    put(counts.digits / text.length);
    put(counts.capitals / text.length);
    put(text.length / Math.max(1, words));
    put(SENTENCE_ENDS.has(text.at(-1)!) ? 1 : 0);

    const tag = TAG_AT.get(name);
    row.fill(0, at, at + OWN_TAGS.length);
    if (tag !== undefined) row[at + tag] = 1;
    at += OWN_TAGS.length;
    putBits(facts.around[index]!, AROUND.length);
    putBits(facts.near[index]!, SIGNS.length);
    putBits(facts.any[index]!, SIGNS.length);

    put(facts.depth[index]!);
    put(i / blocks.length);
    put(wordsBefore / pageWords);
    put(h1 < 0 ? 0 : 1);
    put(h1 < 0 ? 0 : i - h1);
    put(h1 < 0 || i < h1 ? -1 : wordsBefore - wordsToH1);
    put(sinceHeading);
    put(headingsBefore);

    let level: ContentElement | undefined = element;
    for (let up = 0; up < LEVELS; up++) {
      const here: number = level?.index ?? 0;
      const held = Math.max(1, facts.words[here]!);
      put(facts.words[here]!);
      put(facts.linkWords[here]! / held);
      put(facts.blocks[here]!);
      put(facts.long[here]! / held);
      put(facts.words[here]! / pageWords);
      do level = level?.parent;
      while (level && facts.blocks[level.index] === facts.blocks[here]);
    }

    const group = alike[i]!;
    put(parent ? facts.children[parent.index]! : 0);
    put(group.blocks);
    put(group.words);
    put(group.linkWords / Math.max(1, group.words));
    put(group.words / group.blocks);
    put(group.long / Math.max(1, group.words));

    put(i >= from && i <= to ? 1 : 0);
    put(facts.words[facts.best]! / pageWords);
    put(i < from ? i - from : i > to ? i - to : 0);
    put(facts.inMain[index]!);
    put(facts.hasMain ? 1 : 0);
    put(facts.articles);

    for (const step of NEIGHBOURS) {
      const other = blocks[i + step];
      put(other?.words ?? 0);
      put(other ? other.linkWords / Math.max(1, other.words) : 0);
      put(other && isLong(other) ? 1 : 0);
      put(other && alike[i + step] === group ? 1 : 0);
    }

    const windowFrom = Math.max(0, i - WINDOW);
    const windowEnd = Math.min(blocks.length, i + WINDOW + 1);
    const windowWords = wordsTo[windowEnd]! - wordsTo[windowFrom]!;
    const windowLinks = linkWordsTo[windowEnd]! - linkWordsTo[windowFrom]!;
    put(windowWords);
    put(windowLinks / Math.max(1, windowWords));
    put(facts.words[0]!);
    put(facts.blocks[0]!);
    put(facts.linkWords[0]! / pageWords);
    put(facts.long[0]! / pageWords);
    put(facts.long[0]!);

    put(repeats.get(text)!);
    put(titleShares[i]!);
    put(dataShares[i]!);
    put(data.size > 0 ? 1 : 0);
    for (const kind of kinds) put(kind);
    put(dataShareOf(facts, index));
    put(dataShareOf(facts, parent?.parent?.index ?? 0));

    putBranch(fromBest, facts.best, index);
    putBranch(fromTitle, titleElement, index);
    put(title < 0 ? 0 : 1);
    put(title < 0 ? 0 : i - title);
    put(element.whole === 'code' || name === 'pre' ? 1 : 0);
    put(codeWords / pageWords);
    put(termBlocks / blocks.length);
    put(cellBlocks / blocks.length);

    wordsBefore += words;
    const isHeading = HEADINGS.has(name);
    sinceHeading = isHeading ? 1 : sinceHeading + 1;
    if (isHeading) headingsBefore++;
    return use(row);
  });
}

/** The heading that says most of the page's title; the first `h1` if none does. -1 if there is none. */
function titleBlock(blocks: readonly TextBlock[], titleShares: readonly number[], h1: number): number {
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

function countsOf(blocks: readonly TextBlock[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of blocks) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
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

function wordsOf(text: string): ReadonlySet<number> {
  const words = new Set<number>();
  eachWord(text.slice(0, MAX_TITLE).toLowerCase(), (word) => {
    words.add(word);
    return true;
  });
  return words;
}

function shareOfWords(text: string, words: ReadonlySet<number>): number {
  if (words.size === 0 || text.length > MAX_TITLE) return 0;
  let count = 0;
  let hits = 0;
  eachWord(text.toLowerCase(), (word) => {
    count++;
    if (words.has(word)) hits++;
    return true;
  });
  return count === 0 ? 0 : hits / count;
}
