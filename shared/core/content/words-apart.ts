/**
 * Words that readers see apart although no blank stands between them, since style sheets set their elements apart; and text
 * within a line that readers do not see: for screen readers, or drawn as icons.
 */
import type { ContentElement } from './content-element.ts';
import { onceEach } from './once-each.ts';
import { FOR_SCREEN_READERS } from './tags.ts';
import { CODE, CODE_BOX } from './whole-elements.ts';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Drawn as boxes: what stands before and behind them is never one word. */
const BOXES = 'button select textarea svg img video audio canvas iframe object input time';
/** Words on both sides are apart already, or written with a mark. */
const BREAKS = 'br sup sub wbr';
const KINDS: ReadonlyMap<string, 'box' | 'break'> = new Map([
  ...BOXES.split(' ').map((name) => [name, 'box'] as const),
  ...BREAKS.split(' ').map((name) => [name, 'break'] as const),
]);
const ROLES = words('button listitem menuitem option tab');
/** Words of class names that say that an element stands apart from words beside it. */
const BOX_WORDS = words(
  'badge badges pill chip sep separator tag tags count counter mlabel classifier desc description subtitle sku date datetime timestamp time byline author category',
);
/** Words of class names for parts of an entry: two parts with different ones stand apart. */
const PARTS = ['title', 'heading', 'headline', 'name', 'text', 'label', 'value', 'caption', 'summary'];
const ICONS = words('icon icona ico');
/** Their text is the name of a picture. */
const LIGATURES = /(?:^|\s)material-(?:icons|symbols)(?:-[a-z]{1,20})?(?=\s|$)/;
const INLINE_CODE = words('kbd samp tt var math');

// Bits of a class. The bits above are the place in PARTS, and one.
const BOX = 1;
const READER = 2;
const ICON = 4;
const LIGATURE = 8;
const PART_SHIFT = 4;

// Bits of what stands between two texts.
const APART = 1;
const LINK_END = 2;
const NEXT_LINK = 4;
const ELEMENT_END = 8;
const LABEL = 16;
const IN_LINK = 32;

const MAX_CLASS = 400;
const MAX_NOTED = 10_000;
const MAX_NODES = 50;
const MAX_STEPS = 12;

/** Takes the elements and texts of a document in their order. Constant time for each. */
export class WordsApart {
  readonly #bitsOf = onceEach(bitsOfClass);
  /** The end of the text before, if it is in the same line. */
  #last = '';
  #between = 0;
  /** Parts of an entry that have ended and begun since. */
  #endedPart = 0;
  #begunPart = 0;
  /** The outermost open element that is not seen. */
  #unseen: ContentElement | undefined;
  readonly #noted = new Map<ContentElement, number>();

  open(element: ContentElement): void {
    if (this.#unseen !== undefined) return;
    const { name, attributes, isInline } = element;
    if (!isInline && !element.isUnseen) {
      this.#forget();
      return;
    }
    const kind = KINDS.get(name);
    if (kind === 'box') this.#between |= APART;
    if (element.isUnseen) {
      this.#unseen = element;
      return;
    }
    if (kind === 'break') {
      this.#forget();
      return;
    }
    if (attributes.class !== undefined && this.#opensClass(element, this.#bitsOf(attributes.class))) return;
    if (attributes.role !== undefined && ROLES.has(attributes.role)) this.#between |= APART;
    if (name === 'a') {
      if (this.#between & LINK_END) this.#between |= NEXT_LINK;
    } else if (name === 'label') this.#between |= this.#between & ELEMENT_END ? LABEL : 0;
    else if (name === 'span' && element.parent?.name === 'a') this.#between |= IN_LINK;
  }

  /** Returns whether the element is not seen. */
  #opensClass(element: ContentElement, bits: number): boolean {
    if (bits & LIGATURE) {
      element.isUnseen = true;
      this.#unseen = element;
      this.#between |= APART;
      return true;
    }
    if (bits & (READER | ICON) && this.#noted.size < MAX_NOTED) this.#noted.set(element, bits);
    if (bits & (BOX | READER)) this.#between |= APART;
    if (this.#begunPart === 0) this.#begunPart = bits >> PART_SHIFT;
    return false;
  }

  close(element: ContentElement): void {
    if (this.#unseen !== undefined) {
      if (this.#unseen === element) this.#unseen = undefined;
      return;
    }
    const { name, attributes, isInline } = element;
    const kind = isInline ? KINDS.get(name) : 'break';
    if (kind === 'break') {
      this.#forget();
      return;
    }
    this.#between |= ELEMENT_END;
    if (name === 'a' && element.children.length > 0) this.#between |= LINK_END;
    if (kind === 'box' || (attributes.role !== undefined && ROLES.has(attributes.role)))
      this.#between |= APART;
    if (attributes.class === undefined) return;
    const bits = this.#bitsOf(attributes.class);
    if (bits & (BOX | READER)) this.#between |= APART;
    if (bits >> PART_SHIFT !== 0) this.#endedPart = bits >> PART_SHIFT;
  }

  /** Returns the text as it is to be read: behind a blank, if the word before it is another one; nothing for an icon. */
  text(text: string, around: ContentElement): string {
    if (this.#unseen !== undefined) return text;
    if (text.length === 1 && isIcon(text, around)) {
      this.#between |= APART;
      return '';
    }
    const isApart = this.#between !== 0 && this.#isApart(text, around);
    this.#last = text;
    this.#between = 0;
    this.#endedPart = 0;
    this.#begunPart = 0;
    return isApart ? ` ${text}` : text;
  }

  /** To be called at the end of the document: hides text for screen readers beside other text or as a caption, and letters that are icons. */
  hide(): void {
    for (const [element, bits] of this.#noted) {
      if (element.hasBlocks) continue;
      const isHidden = bits & READER ? isCaption(element) || this.#isBesideText(element) : isLetter(element);
      if (isHidden) element.isUnseen = true;
    }
  }

  #forget(): void {
    this.#last = '';
    this.#between = 0;
    this.#endedPart = 0;
    this.#begunPart = 0;
  }

  #isApart(text: string, around: ContentElement): boolean {
    const between = this.#between;
    const isOtherPart = this.#endedPart !== 0 && this.#begunPart !== 0 && this.#endedPart !== this.#begunPart;
    const isSetApart = isOtherPart || (between & (APART | NEXT_LINK | LABEL)) !== 0;
    if (!isSetApart && !((between & IN_LINK) !== 0 && COUNT.test(text) && /\D$/.test(this.#last)))
      return false;
    return BEGINS_WORD.test(text) && ENDS_WORD.test(this.#last.slice(-2)) && !isInCode(around);
  }

  /** Whether its line, or the link that it is in, has other text. */
  #isBesideText(element: ContentElement): boolean {
    let line = element.parent!;
    for (let step = 0; step < MAX_STEPS && line.isInline && line.name !== 'a' && line.parent; step++)
      line = line.parent;
    const rest: (ContentElement | string)[] = line.children.slice(0, MAX_NODES);
    let left = MAX_NODES;
    for (let node = rest.pop(); node !== undefined && left > 0; node = rest.pop(), left--) {
      if (typeof node === 'string') {
        if (WORD.test(node)) return true;
      } else if (node.isInline && !node.isUnseen && !this.#noted.has(node))
        for (const child of node.children.slice(0, left)) rest.push(child);
    }
    return false;
  }
}

const BEGINS_WORD = /^[\p{L}\p{N}]/u;
const ENDS_WORD = /[\p{L}\p{N}]$/u;
const WORD = /[\p{L}\p{N}]/u;
const LETTER = /^\s{0,9}\p{L}\s{0,9}$/u;
const PRIVATE_USE = 0xe000;
const PRIVATE_USE_END = 0xf8ff;
const COUNT = /^\d{1,6}$/;

function bitsOfClass(given: string): number {
  const classes = given.slice(0, MAX_CLASS);
  let bits = 0;
  if (FOR_SCREEN_READERS.test(classes)) bits |= READER;
  if (LIGATURES.test(classes)) bits |= LIGATURE;
  for (const word of classes
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)) {
    if (BOX_WORDS.has(word)) bits |= BOX;
    if (ICONS.has(word)) bits |= ICON;
    if (bits >> PART_SHIFT === 0) bits |= (PARTS.indexOf(word) + 1) << PART_SHIFT;
  }
  return bits;
}

/** A character of private use that is all of an element so far: icon fonts have pictures there. */
function isIcon(text: string, { name, children }: ContentElement): boolean {
  const unit = text.charCodeAt(0);
  return (
    unit >= PRIVATE_USE &&
    unit <= PRIVATE_USE_END &&
    (name === 'i' || name === 'span') &&
    children.length === 0
  );
}

const isCaption = ({ parent }: ContentElement): boolean => parent!.name === 'figcaption';

/** Whether its text is one letter, in place of a picture. An arrow is text. */
function isLetter({ children }: ContentElement): boolean {
  const [only] = children;
  return children.length === 1 && typeof only === 'string' && LETTER.test(only);
}

function isInCode(element: ContentElement): boolean {
  let up: ContentElement | undefined = element;
  for (let step = 0; up && step < MAX_STEPS; up = up.parent, step++)
    if (CODE.has(up.name) || INLINE_CODE.has(up.name) || CODE_BOX.test(up.attributes.class ?? ''))
      return true;
  return false;
}
