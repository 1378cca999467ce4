/** Trees of links to the other pages of a site, such as the table of contents of a whole manual beside each of its pages. */
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import { branchesFrom, isLong } from './element-facts.ts';
import { onceEach } from './once-each.ts';

/** Words of class names and ids that such trees have, in themselves or in their lists. */
const TREE = /toc|contents|tree/i;
const SIDEBAR = /menu|side-?bar|nav/i;
const TREES = 1;
const SIDE = 2;
const MAX_CHARS = 400;
/** Elements between a block and an element that holds a heading of its page. */
const MAX_STEPS = 12;
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
  const heading = pageHeading(blocks);
  const trees = new Set<ContentElement>();
  if (heading === undefined) return trees;
  const { branches } = branchesFrom(elements, heading.element.index);
  const links = new Int32Array(elements.length);
  let most = 0;
  for (let i = 1; i < elements.length; i++) {
    const { name, attributes } = elements[i]!;
    const branch = branches[i]!;
    if (branch === 0 || name !== 'a' || attributes.href === undefined || attributes.href.startsWith('#'))
      continue;
    most = Math.max(most, ++links[branch]!);
  }
  if (most < MIN_LINKS) return trees;
  const named = new Uint8Array(elements.length);
  const signOf = onceEach(signIn);
  for (let i = 1; i < elements.length; i++) {
    const branch = branches[i]!;
    if (links[branch]! < MIN_LINKS || named[branch] === SIDE) continue;
    const { class: classes = '', id = '' } = elements[i]!.attributes;
    named[branch] = Math.max(named[branch]!, signOf(classes), signOf(id));
  }
  const { words, linkWords, long } = sumsOf(elements, blocks);
  /** A sidebar is navigation beside links, too; a table of contents may be all that a page has. */
  const textBeside = (tree: ContentElement) => {
    const { index } = besideOf(tree, heading.element);
    return words[index]! - heading.words - (named[tree.index] === SIDE ? 0 : linkWords[index]!);
  };
  for (let i = 1; i < elements.length; i++) {
    const isTree =
      links[i]! >= MIN_LINKS &&
      named[i]! > 0 &&
      long[i] === 0 &&
      linkWords[i]! >= MIN_LINK_SHARE * words[i]! &&
      textBeside(elements[i]!) >= MIN_TEXT_WORDS;
    if (isTree) trees.add(elements[i]!);
  }
  return trees;
}

/**
 * The heading that stands with the text: of several of the first level, the one that most words outside of links stand
 * beside. The others are names of the site.
 */
function pageHeading(blocks: readonly TextBlock[]): TextBlock | undefined {
  const first = blocks.filter(({ element }) => element.name === 'h1');
  if (first.length === 0) return blocks.find(({ element }) => /^h[2-6]$/.test(element.name));
  if (first.length === 1) return first[0];
  const words = new Map<ContentElement | undefined, number>(first.map(({ element }) => [element.parent, 0]));
  for (const block of blocks)
    for (let up = block.element.parent, step = 0; up && step < MAX_STEPS; up = up.parent, step++)
      if (words.has(up)) words.set(up, words.get(up)! + block.words - block.linkWords);
  const wordsBeside = ({ element }: TextBlock) => words.get(element.parent)!;
  return first.reduce((best, one) => (wordsBeside(one) > wordsBeside(best) ? one : best));
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

function signIn(name: string): number {
  const start = name.slice(0, MAX_CHARS);
  return SIDEBAR.test(start) ? SIDE : TREE.test(start) ? TREES : 0;
}
