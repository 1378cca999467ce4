/** Elements that authors mark as no part of the content: navigation, search, the head and the foot of a site. */
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import { isLong, isMarkedMain, isNote } from './element-facts.ts';
import { textOf } from './element-text.ts';
import { linkLists } from './link-lists.ts';
import { linkTrees } from './link-trees.ts';
import { type MarkedMain, mainMarks, markedMain } from './main-marks.ts';
import { onceEach } from './once-each.ts';

/** WAI-ARIA 1.2, sections 5.3 and 5.4. */
const ROLES: ReadonlySet<string> = new Set([
  'alertdialog',
  'banner',
  'complementary',
  'contentinfo',
  'dialog',
  'menu',
  'menubar',
  'navigation',
  'search',
  'tablist',
]);
const ASIDE = 1;
const CONTENT = 2;
/** By a name that generators give. */
const NAMED = 3;
const MAX_CHARS = 400;
/**
 * Words of class names and ids by which generators and themes mark what leads to other pages: Bootstrap, DocBook, Doxygen,
 * MediaWiki, pydata-sphinx-theme, Scribble, Boost. Bootstrap's `pagination-right` aligns a text.
 */
const NAVIGATION =
  /(?:^|[\s_-])(?:navbar|navigationbar|navbox|nav_?table|tocset|navheader|navfooter|navpath|navpanel|navigation|breadcrumbs?|prev-next|printfooter|catlinks|spirit-nav|pagination(?!-(?:left|right|centered))|pager)(?=$|[\s_-])/i;
/** Classes of DocBook's and Publican's links to the pages before and behind, whose titles may be sentences. */
const NEIGHBOURS: ReadonlySet<string> = new Set(['navheader', 'navfooter', 'docnav']);
/** Class names that say it only as a whole: as a part of a name they also say what stands beside navigation. `navigate`: ocamldoc. */
const WHOLE_NAMES: ReadonlySet<string> = new Set(['nav', 'navigate']);
/** The text of texi2any's links to neighbours, a table of class `header`. */
const BRACKETED = /^(?:\[ ?[^\s[\]]{1,40} ?\] ?)+$/;
const MAX_NODES = 200;
/** Elements that navigation does not hold. */
const CONTENT_NAMES: ReadonlySet<string> = new Set(['h1', 'main', 'article', 'pre']);
/** A page with fewer words beside its navigation is one of links. */
const MIN_WORDS = 20;

export interface MarkedBlocks {
  /** For each block, 1 if it stands outside of the content. */
  readonly aside: Uint8Array;
  /** For each element, 1 if it is marked as no part of the content, or stands within such an element. */
  readonly asideElements: Uint8Array;
  readonly main: MarkedMain | undefined;
}

/**
 * For each block, 1 if it stands in such an element. An `aside` within the content is a note of it. The marks of a page are not
 * believed if most of its sentences stand in them, and much of its text, unless a generator made them. Linear.
 */
export function asideBlocks(elements: readonly ContentElement[], blocks: readonly TextBlock[]): MarkedBlocks {
  const marks = new Uint8Array(elements.length);
  const mainOnes = mainMarks(elements, blocks);
  const trees = new Set([...linkTrees(elements, blocks), ...linkLists(elements, blocks)]);
  const isNavigation = onceEach((name) => WHOLE_NAMES.has(name) || NAVIGATION.test(name.slice(0, MAX_CHARS)));
  /** Few pages have such names. */
  let holdsContent: Uint8Array | undefined;
  let named = false;
  for (let i = 1; i < elements.length; i++) {
    const element = elements[i]!;
    const around = marks[element.parent!.index]!;
    marks[i] = markOf(element, around, mainOnes.roots) ?? around;
    if (marks[i] === ASIDE) continue;
    const { class: classes, id } = element.attributes;
    if (classes === undefined && id === undefined && trees.size === 0) continue;
    if (!trees.has(element) && !NEIGHBOURS.has(classes ?? '')) {
      if (!isNamedNavigation(element, isNavigation)) continue;
      holdsContent ??= contentHolders(elements, blocks);
      if (holdsContent[i] === 1) continue;
    }
    marks[i] = NAMED;
    named = true;
  }
  const aside = new Uint8Array(blocks.length);
  const asideElements = new Uint8Array(elements.length);
  const setAside = (counts: (mark: number) => boolean) => {
    for (let i = 0; i < marks.length; i++) asideElements[i] = counts(marks[i]!) ? 1 : 0;
    for (let i = 0; i < blocks.length; i++) aside[i] = asideElements[blocks[i]!.element.index]!;
  };
  setAside((mark) => mark === ASIDE || mark === NAMED);
  if (named) {
    let words = 0;
    for (const [i, block] of blocks.entries()) if (aside[i] === 0) words += block.words;
    if (words < MIN_WORDS) setAside((mark) => mark === ASIDE);
  }
  const main = markedMain(elements, blocks, aside, mainOnes);
  if (main?.isWhole) return { aside, asideElements, main };
  if (main) {
    const isMain = ({ element }: TextBlock) => main.within[element.index] === 1;
    // A heading in front of it may be that of the page.
    const hasHeading = blocks.some((block) => block.element.name === 'h1' && isMain(block));
    for (const [i, block] of blocks.entries())
      if (!isMain(block) && (hasHeading || block.element.name !== 'h1')) aside[i] = 1;
  }
  let there = 0;
  let sentences = 0;
  let text = 0;
  for (const [i, block] of blocks.entries()) {
    const long = isLong(block) ? block.words : 0;
    if (aside[i] === 1) there += long;
    else {
      sentences += long;
      text += block.words - block.linkWords;
    }
  }
  return there > sentences && there > text / 2
    ? { aside: aside.fill(0), asideElements: asideElements.fill(0), main: undefined }
    : { aside, asideElements, main };
}

/** 1 for elements that hold a sentence, or an element of content. */
function contentHolders(elements: readonly ContentElement[], blocks: readonly TextBlock[]): Uint8Array {
  const holders = new Uint8Array(elements.length);
  for (const block of blocks) if (isLong(block)) holders[block.element.index] = 1;
  for (let i = elements.length - 1; i > 0; i--) {
    const { name, parent } = elements[i]!;
    if (holders[i] === 1 || CONTENT_NAMES.has(name)) holders[parent!.index] = 1;
  }
  return holders;
}

function isNamedNavigation(element: ContentElement, isNavigation: (name: string) => boolean): boolean {
  const { class: classes, id } = element.attributes;
  if (classes === 'header' && element.name === 'table')
    return BRACKETED.test(textOf(element, MAX_NODES, MAX_CHARS));
  return (classes !== undefined && isNavigation(classes)) || (id !== undefined && isNavigation(id));
}

function markOf(
  element: ContentElement,
  around: number,
  roots: ReadonlySet<ContentElement>,
): number | undefined {
  const { name, attributes } = element;
  if (name === 'nav' || (attributes.role !== undefined && ROLES.has(attributes.role))) return ASIDE;
  if (isNote(element)) return undefined;
  if (name === 'aside') return around === CONTENT ? CONTENT : ASIDE;
  return name === 'article' || isMarkedMain(element) || roots.has(element) ? CONTENT : undefined;
}
