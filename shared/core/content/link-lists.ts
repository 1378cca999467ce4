/** Lists of links that lead away from a text: those in the head of a page, and the contents of the page itself. */
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import { onceEach } from './once-each.ts';

/** A word of class names and ids by which generators mark the contents of a page. */
const CONTENTS = /(?:^|[\s_-])(?:toc|contents)(?=$|[\s_-])/i;
const MAX_CHARS = 400;
const LISTS: ReadonlySet<string> = new Set(['ul', 'ol', 'menu']);
/** The share of words that are links, or the words that are not: the label of contents. */
const MIN_LINK_SHARE = 0.8;
const MAX_LABEL_WORDS = 4;
const MIN_PLACES = 3;

/**
 * Returns the outermost elements of such lists: in a `header`, or named as contents whose links all lead to places of the page. Linear
 * in elements and blocks.
 */
export function linkLists(
  elements: readonly ContentElement[],
  blocks: readonly TextBlock[],
): ReadonlySet<ContentElement> {
  const lists = new Set<ContentElement>();
  const inHeader = new Uint8Array(elements.length);
  /** The list that each element is in, by its index. 0: none. */
  const listOf = new Int32Array(elements.length);
  const isContents = onceEach((name) => CONTENTS.test(name.slice(0, MAX_CHARS)));
  for (let i = 1; i < elements.length; i++) {
    const element = elements[i]!;
    const around = element.parent!.index;
    inHeader[i] = element.name === 'header' ? 1 : inHeader[around]!;
    listOf[i] = listOf[around]!;
    if (listOf[i] !== 0) continue;
    const { class: classes, id } = element.attributes;
    const isNamed = (classes !== undefined && isContents(classes)) || (id !== undefined && isContents(id));
    if ((inHeader[i] === 1 && LISTS.has(element.name)) || (isNamed && !element.isInline)) {
      listOf[i] = i;
      lists.add(element);
    }
  }
  if (lists.size === 0) return lists;
  const words = new Float64Array(elements.length);
  const linkWords = new Float64Array(elements.length);
  for (const block of blocks) {
    const list = listOf[block.element.index]!;
    words[list]! += block.words;
    linkWords[list]! += block.linkWords;
  }
  const places = new Int32Array(elements.length);
  const pages = new Int32Array(elements.length);
  for (let i = 1; i < elements.length; i++) {
    const { href } = elements[i]!.attributes;
    if (elements[i]!.name === 'a' && href !== undefined)
      (href.startsWith('#') ? places : pages)[listOf[i]!]!++;
  }
  for (const list of lists) {
    const { index } = list;
    const isOfPlaces = pages[index] === 0 && places[index]! >= MIN_PLACES;
    const label = isOfPlaces ? Math.min(MAX_LABEL_WORDS, linkWords[index]!) : 0;
    const isOfLinks =
      linkWords[index]! > 0 &&
      linkWords[index]! >= Math.min(MIN_LINK_SHARE * words[index]!, words[index]! - label);
    if (!isOfLinks || (inHeader[index] === 0 && !isOfPlaces)) lists.delete(list);
  }
  return lists;
}
