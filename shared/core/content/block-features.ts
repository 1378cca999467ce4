/** The features of each block of text by which the model separates main content from boilerplate. */
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import { AROUND, type ElementFacts, elementFacts, isLong } from './element-facts.ts';
import type { StructuredData } from './metadata.ts';
import { shareOf, shinglesOf } from './shingles.ts';
import { SIGNS } from './signs.ts';
import { eachWord } from './text-measure.ts';

const OWN_TAGS = [
  'p',
  'li',
  'div',
  'td',
  'th',
  'span',
  'a',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'pre',
  'dt',
  'dd',
  'figcaption',
  'label',
  'blockquote',
  'section',
];
const TAG_AT: ReadonlyMap<string, number> = new Map(OWN_TAGS.map((name, i) => [name, i]));
const HEADINGS: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const SENTENCE_ENDS: ReadonlySet<string> = new Set('.!?。:"”)');
/** Elements around a block, each holding more than the one before. */
const LEVELS = 4;
const NEIGHBOURS = [-1, -2, 1, 2];
/** Blocks to each side. */
const WINDOW = 5;
const KINDS = [/article|posting|news|blog/i, /product|offer/i, /forum|question|qapage|discussion/i];

export const FEATURES: readonly string[] = [
  ...[
    'words',
    'chars',
    'linkShare',
    'sentences',
    'commas',
    'digitShare',
    'capitalShare',
    'wordLength',
    'endsSentence',
  ],
  ...OWN_TAGS.map((name) => `is-${name}`),
  ...AROUND.map((name) => `in-${name}`),
  ...SIGNS.map((name) => `near-${name}`),
  ...SIGNS.map((name) => `any-${name}`),
  ...[
    'depth',
    'place',
    'wordPlace',
    'hasH1',
    'blocksAfterH1',
    'wordsAfterH1',
    'sinceHeading',
    'headingsBefore',
  ],
  ...Array.from({ length: LEVELS }, (_, i) =>
    ['words', 'linkShare', 'blocks', 'longShare', 'share'].map((name) => `${name}-${i}`),
  ).flat(),
  ...['siblings', 'alikeBlocks', 'alikeWords', 'alikeLinkShare', 'alikeMean', 'alikeLongShare'],
  ...['inBest', 'bestShare', 'toBest', 'inMain', 'hasMain', 'articles'],
  ...NEIGHBOURS.flatMap((step) => ['words', 'linkShare', 'long', 'alike'].map((name) => `${name}@${step}`)),
  ...[
    'windowWords',
    'windowLinkShare',
    'pageWords',
    'pageBlocks',
    'pageLinkShare',
    'pageLongShare',
    'pageLong',
  ],
  ...[
    'repeats',
    'titleShare',
    'dataShare',
    'hasData',
    'isArticle',
    'isProduct',
    'isForum',
    'dataShareOf',
    'dataShareAround',
  ],
];

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
    put(shareOfWords(text, titleWords));
    put(dataShares[i]!);
    put(data.size > 0 ? 1 : 0);
    for (const kind of kinds) put(kind);
    put(dataShareOf(facts, index));
    put(dataShareOf(facts, parent?.parent?.index ?? 0));

    wordsBefore += words;
    const isHeading = HEADINGS.has(name);
    sinceHeading = isHeading ? 1 : sinceHeading + 1;
    if (isHeading) headingsBefore++;
    return use(row);
  });
}

const dataShareOf = ({ dataWords, words }: ElementFacts, index: number): number =>
  dataWords[index]! / Math.max(1, words[index]!);

interface Group {
  blocks: number;
  words: number;
  linkWords: number;
  long: number;
}

/** Groups blocks whose elements, and the two elements around them, have the same names. */
function groupsOf(blocks: readonly TextBlock[]): Group[] {
  const groups = new Map<number, Group>();
  const idOf = nameIds();
  return blocks.map((block) => {
    const { element } = block;
    const up = element.parent;
    // There are fewer names than elements and blocks, so that the number is below 2^53.
    const id =
      (idOf(element) * NAMES + (up ? idOf(up) : 0)) * NAMES + (up?.parent ? idOf(up.parent, true) : 0);
    let group = groups.get(id);
    if (!group) {
      group = { blocks: 0, words: 0, linkWords: 0, long: 0 };
      groups.set(id, group);
    }
    group.blocks++;
    group.words += block.words;
    group.linkWords += block.linkWords;
    if (isLong(block)) group.long += block.words;
    return group;
  });
}

const NAMES = 1 << 17;

/** Returns a function that numbers the names of elements, with their classes unless `isBare`. */
function nameIds() {
  const names = new Map<string, number>();
  const classes = new Map<string, number>();
  const pairs = new Map<number, number>();
  const idIn = <K>(ids: Map<K, number>, key: K): number => {
    let id = ids.get(key);
    if (id === undefined) {
      id = ids.size + 1;
      ids.set(key, id);
    }
    return id;
  };
  return ({ name, attributes }: ContentElement, isBare = false): number => {
    const classId = isBare ? 0 : idIn(classes, (attributes.class ?? '').slice(0, 60));
    return idIn(pairs, idIn(names, name) * NAMES + classId);
  };
}

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
