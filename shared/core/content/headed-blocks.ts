/** Headings and the chosen blocks below them: neither is of use without the other. */
import type { TextBlock } from './blocks.ts';
import type { Choice } from './chosen-kinds.ts';
import type { ContentElement } from './content-element.ts';

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const HEADINGS = names('h1 h2 h3 h4 h5 h6');
const CELLS = names('td th dt dd');
const MAX_HEADING_WORDS = 30;
/** Headings between a heading and the text below it, then lines, and the words of a line. */
const MAX_HEADINGS = 2;
const MAX_LINES = 2;
const MAX_LINE_WORDS = 8;
/** A table that is all the text below a heading. */
const MAX_TABLE_CELLS = 30;
const MAX_TABLE_WORDS = 60;
/** Elements between a heading's parent and the text below it. */
const MAX_STEPS = 6;
/** Elements around a heading alone. */
const MAX_BOXES = 2;
/** Children of such an element: the heading, and blanks and comments beside it. */
const MAX_CHILDREN = 5;

/**
 * The chosen block that block `i` is the heading of, in the element of both: below other headings, or a line or two, such as the type
 * of a value, unless the heading is a link, as those of cards are. -1 if there is none. `isFirst`: nothing is chosen before it. A first
 * `h1` may be the name of the site.
 */
export function headedBlock(i: number, isFirst: boolean, { chosen, blocks, aside }: Choice): number {
  const { element, words, linkWords } = blocks[i]!;
  const heading = headingAround(element);
  if (heading === undefined || words > MAX_HEADING_WORDS) return -1;
  if (heading.name === 'h1' && (isFirst || linkWords === words)) return -1;
  const around = boxOf(heading).parent;
  let at = i + 1;
  while (at <= i + MAX_HEADINGS && !chosen.has(at) && isInHeading(blocks[at])) at++;
  const lines = at;
  const end = at + (linkWords === 0 ? MAX_LINES : 0);
  while (at < end && !chosen.has(at) && aside[at] === 0 && isLineIn(blocks[at]!, around)) at++;
  if (!chosen.has(at) || (at > lines && isInHeading(blocks[at]))) return -1;
  return isWithin(blocks[at]!.element, around) ? at : -1;
}

/** The chosen heading that follows block `i`, which is one, too, if all between them is a small table that was not chosen. Otherwise -1. */
export function endOfTable(i: number, { chosen, blocks, aside }: Choice): number {
  if (!isInHeading(blocks[i]) || blocks[i]!.linkWords > 0) return -1;
  let words = 0;
  let linkWords = 0;
  let at = i + 1;
  for (; at < blocks.length && !chosen.has(at); at++) {
    const block = blocks[at]!;
    words += block.words;
    linkWords += block.linkWords;
    if (aside[at] === 1 || !CELLS.has(block.element.name)) return -1;
    if (at > i + MAX_TABLE_CELLS || words > MAX_TABLE_WORDS) return -1;
  }
  return linkWords <= words / 2 && isInHeading(blocks[at]) ? at : -1;
}

const isLineIn = (block: TextBlock, around: ContentElement | undefined): boolean =>
  block.words <= MAX_LINE_WORDS &&
  block.linkWords <= block.words / 2 &&
  !isInHeading(block) &&
  isWithin(block.element, around);

/** The heading that the element is, or that it fills. */
function headingAround(element: ContentElement): ContentElement | undefined {
  const { parent } = element;
  if (HEADINGS.has(element.name)) return element;
  return parent && HEADINGS.has(parent.name) ? parent : undefined;
}

const isInHeading = (block: TextBlock | undefined): boolean =>
  block !== undefined && headingAround(block.element) !== undefined;

/** The heading, or the outermost of the elements that hold it alone. Not a link: its heading is of another page. */
function boxOf(heading: ContentElement): ContentElement {
  let box = heading;
  for (let step = 0; box.parent?.parent && step < MAX_BOXES && isAlone(box); step++) box = box.parent;
  return box;
}

const isAlone = ({ parent }: ContentElement): boolean =>
  parent!.name !== 'a' &&
  parent!.children.length <= MAX_CHILDREN &&
  parent!.children.filter((child) => typeof child !== 'string' || child.trim() !== '').length === 1;

function isWithin(element: ContentElement, outer: ContentElement | undefined): boolean {
  let up = element.parent;
  for (let step = 0; up && step < MAX_STEPS; up = up.parent, step++) if (up === outer) return true;
  return false;
}
