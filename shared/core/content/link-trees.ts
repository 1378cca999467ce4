/** Trees of links to the other pages of a site, such as the table of contents of a whole manual beside each of its pages. */
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import { branchesFrom, isLong } from './element-facts.ts';

/** Words of class names and ids that such trees have, in themselves or in their lists. */
const TREE = /toc|contents|menu|tree|side-?bar|nav/i;
const MAX_CHARS = 400;
const MIN_LINKS = 20;
const MIN_LINK_SHARE = 0.85;
/** Words beside the page's heading, outside of links: the tree is beside a text, and not the page's content. */
const MIN_TEXT_WORDS = 20;

/**
 * Returns the outermost elements of such trees: they stand beside the element that holds the page's heading and a text, and are
 * links, hardly anything else. Linear in elements and blocks.
 */
export function linkTrees(
  elements: readonly ContentElement[],
  blocks: readonly TextBlock[],
): ReadonlySet<ContentElement> {
  const heading =
    blocks.find(({ element }) => element.name === 'h1') ??
    blocks.find(({ element }) => /^h[2-6]$/.test(element.name));
  const trees = new Set<ContentElement>();
  if (heading === undefined) return trees;
  const { branches } = branchesFrom(elements, heading.element.index);
  const links = new Int32Array(elements.length);
  let most = 0;
  for (const { name, attributes, index } of elements) {
    const branch = branches[index]!;
    if (branch === 0 || name !== 'a' || attributes.href === undefined || attributes.href.startsWith('#'))
      continue;
    most = Math.max(most, ++links[branch]!);
  }
  if (most < MIN_LINKS) return trees;
  const named = new Uint8Array(elements.length);
  for (const { attributes, index } of elements) {
    const branch = branches[index]!;
    if (links[branch]! >= MIN_LINKS && named[branch] === 0 && isNamed(attributes)) named[branch] = 1;
  }
  const { words, linkWords, long } = sumsOf(elements, blocks);
  const textIn = (index: number) => words[index]! - linkWords[index]!;
  for (let i = 1; i < elements.length; i++) {
    const isTree =
      links[i]! >= MIN_LINKS &&
      named[i] === 1 &&
      long[i] === 0 &&
      linkWords[i]! >= MIN_LINK_SHARE * words[i]! &&
      textIn(besideOf(elements[i]!, heading.element).index) - heading.words >= MIN_TEXT_WORDS;
    if (isTree) trees.add(elements[i]!);
  }
  return trees;
}

/** The words, the words in links and those of sentences in each element. */
function sumsOf(elements: readonly ContentElement[], blocks: readonly TextBlock[]) {
  const words = new Float64Array(elements.length);
  const linkWords = new Float64Array(elements.length);
  const long = new Float64Array(elements.length);
  for (const block of blocks) {
    const { index } = block.element;
    words[index]! += block.words;
    linkWords[index]! += block.linkWords;
    if (isLong(block)) long[index]! += block.words;
  }
  // Children come after their parents.
  for (let i = elements.length - 1; i > 0; i--) {
    const { index } = elements[i]!.parent!;
    words[index]! += words[i]!;
    linkWords[index]! += linkWords[i]!;
    long[index]! += long[i]!;
  }
  return { words, linkWords, long };
}

/** The element beside the tree that holds the heading. */
function besideOf(tree: ContentElement, heading: ContentElement): ContentElement {
  let beside = heading;
  while (beside.parent && beside.parent !== tree.parent) beside = beside.parent;
  return beside;
}

const isNamed = ({ class: classes, id }: ContentElement['attributes']): boolean =>
  (classes !== undefined && TREE.test(classes.slice(0, MAX_CHARS))) ||
  (id !== undefined && TREE.test(id.slice(0, MAX_CHARS)));
