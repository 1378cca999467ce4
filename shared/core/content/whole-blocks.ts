/** The choice of blocks without holes: a text that lacks an item, a row or a line of code is of little use. */
import type { TextBlock } from './blocks.ts';
import { type Choice, chosenKinds } from './chosen-kinds.ts';
import type { ContentElement } from './content-element.ts';
import { endOfTable, headedBlock } from './headed-blocks.ts';
import { onceEach } from './once-each.ts';

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Elements of running text. */
const FLOW = names('p pre h2 h3 h4 h5 h6 li dt dd blockquote td th code');
/** Elements that hold pieces of one text: their parent is where the text runs. */
const PIECES = names('ul ol dl li pre code blockquote table tbody tr');
/** Taken between chosen blocks wherever they are. */
const CODE_AND_TERMS = names('pre dt dd');
/** A row with more words may be the layout of a page. A shorter one is of no use without one of its cells. */
const MAX_ROW_WORDS = 60;
/** Class names of notes within a text, by which generators mark tips and warnings, and the elements between one and its text. */
const NOTE =
  /(?:^|[\s_-])(?:admonition(?:block)?|custom-block|markdown-alert|callout-(?:note|tip|info|important|warning|caution|danger))(?=$|[\s_-])/i;
/** Class names of the notes at the end of a text. */
const FOOTNOTES = /(?:^|[\s_-])(?:footnotes?|endnotes?)(?=$|[\s_-])/i;
const MAX_NOTE_STEPS = 4;
const MAX_CHARS = 400;
/** Taken as a whole if most of it is chosen. */
const WHOLE = names('dl table');

/**
 * Adds what stands between `chosen` blocks: code and terms, whatever wraps them, and running text without links in the
 * same element; the rest of a table or list of terms of which at least half is chosen; and the notes at the end of its element. Not what is
 * `aside`. Linear.
 */
export function withoutHoles(
  chosen: ReadonlySet<number>,
  blocks: readonly TextBlock[],
  elements: readonly ContentElement[],
  aside: Uint8Array,
): ReadonlySet<number> {
  const isWhole = wholeElements(chosen, blocks, elements, aside);
  const lastIn = new Map<ContentElement | undefined, number>();
  let last = 0;
  for (const i of chosen) {
    const place = placeOf(blocks[i]!);
    lastIn.set(place, Math.max(i, lastIn.get(place) ?? 0));
    last = Math.max(last, i);
  }
  const choice: Choice = { chosen, blocks, aside };
  const isOfKind = chosenKinds(choice);
  const all = new Set(chosen);
  const heading = headingBefore(chosen, blocks, aside);
  if (heading >= 0) all.add(heading);
  const isNote = onceEach((classes) => NOTE.test(classes.slice(0, MAX_CHARS)));
  const isFootnotes = onceEach((classes) => FOOTNOTES.test(classes.slice(0, MAX_CHARS)));
  const begun = new Set<ContentElement | undefined>();
  for (const [i, { element, words, linkWords }] of blocks.entries()) {
    const place = placeOf(blocks[i]!);
    if (chosen.has(i)) {
      begun.add(place);
      addBetween(i, Math.max(headedBlock(i, false, choice), endOfTable(i, choice)));
    } else if (aside[i] === 1) continue;
    else if (isWhole[element.index] === 1) all.add(i);
    else if (
      begun.size > 0 &&
      i < last &&
      linkWords <= words / 2 &&
      (isCodeOrTerm(element) || named(element, isNote) !== undefined)
    )
      all.add(i);
    else if (begun.size > 0 && isUnder(named(element, isFootnotes), begun)) all.add(i);
    else if (
      linkWords <= words / 2 &&
      chosen.has(i - 1) &&
      chosen.has(i + 1) &&
      isAlike(element, blocks[i + 1]!.element)
    )
      all.add(i);
    else if (i < last && addBetween(i - 1, headedBlock(i, begun.size === 0, choice))) continue;
    else if (chosen.has(i - 1) && chosen.has(i + 1) && isOfKind(element)) all.add(i);
    else if (begun.has(place) && i < lastIn.get(place)! && FLOW.has(element.name) && linkWords === 0)
      all.add(i);
  }
  return all;

  /** False: there is no such block. */
  function addBetween(before: number, behind: number): boolean {
    for (let i = before + 1; i < behind; i++) if (aside[i] === 0) all.add(i);
    return behind >= 0;
  }
}

/** The last `h1` before the chosen blocks, unless all of it is a link: the text begins with it. -1 if there is none, or one is chosen. */
function headingBefore(chosen: ReadonlySet<number>, blocks: readonly TextBlock[], aside: Uint8Array): number {
  let found = -1;
  for (const [i, { element, words, linkWords }] of blocks.entries()) {
    if (chosen.has(i)) return element.name === 'h1' ? -1 : found;
    if (element.name === 'h1' && linkWords < words && aside[i] === 0) found = i;
  }
  return -1;
}

/** Whether they are items of one list: elements of the same name, as their parents are. */
const isAlike = (one: ContentElement, other: ContentElement): boolean =>
  one.name === other.name &&
  one.attributes.class === other.attributes.class &&
  (one.parent === other.parent || one.parent?.parent === other.parent?.parent);

const isCodeOrTerm = ({ name, whole }: ContentElement): boolean =>
  CODE_AND_TERMS.has(name) || whole === 'code';

/** The element, or one around it, whose class is one of those. */
function named(element: ContentElement, isOne: (classes: string) => boolean): ContentElement | undefined {
  let up: ContentElement | undefined = element;
  for (let step = 0; up && step < MAX_NOTE_STEPS; up = up.parent, step++)
    if (up.attributes.class !== undefined && isOne(up.attributes.class)) return up;
  return undefined;
}

/** Whether the text runs in the element around it. */
const isUnder = (
  element: ContentElement | undefined,
  places: ReadonlySet<ContentElement | undefined>,
): boolean => element?.parent !== undefined && places.has(element.parent);

/** 1 for each element in a table or list of terms of which at least half is chosen. */
function wholeElements(
  chosen: ReadonlySet<number>,
  blocks: readonly TextBlock[],
  elements: readonly ContentElement[],
  aside: Uint8Array,
): Uint8Array {
  const words = new Float64Array(elements.length);
  const kept = new Float64Array(elements.length);
  for (const [i, block] of blocks.entries()) {
    if (aside[i] === 1) continue;
    words[block.element.index]! += block.words;
    if (chosen.has(i)) kept[block.element.index]! += block.words;
  }
  // Children come after their parents.
  for (let i = elements.length - 1; i > 0; i--) {
    const { name, parent: around } = elements[i]!;
    const parent = around!.index;
    if (name === 'tr' && kept[i]! > 0 && words[i]! <= MAX_ROW_WORDS) kept[i] = words[i]!;
    words[parent]! += words[i]!;
    kept[parent]! += kept[i]!;
  }
  const isWhole = new Uint8Array(elements.length);
  for (let i = 1; i < elements.length; i++) {
    const { name, parent } = elements[i]!;
    const isMost = WHOLE.has(name) && kept[i]! > 0 && kept[i]! >= words[i]! / 2;
    const isRow = name === 'tr' && kept[i]! > 0 && kept[i] === words[i];
    isWhole[i] = isMost || isRow || isWhole[parent!.index] === 1 ? 1 : 0;
  }
  return isWhole;
}

function placeOf({ element }: TextBlock): ContentElement | undefined {
  let place = element.parent;
  while (place && PIECES.has(place.name)) place = place.parent;
  return place;
}
