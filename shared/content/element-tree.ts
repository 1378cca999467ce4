import { INLINE } from '../parser/inline-elements.ts';
import { MAX_DEPTH, parseShallow } from '../parser/shallow-parser.ts';
import { UNSEEN } from './tags.ts';

/** An element of a document. */
export interface ContentElement {
  /** Its place among all elements, in document order: a parent comes before its children. */
  readonly index: number;
  /** In lower case. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent: ContentElement | undefined;
  readonly children: (ContentElement | string)[];
  /** Whether readers never see it. */
  readonly isUnseen: boolean;
  /** Whether it stands within a line if nothing in it begins one. */
  readonly isInline: boolean;
  /** Whether an element within begins a line of its own. */
  hasBlocks: boolean;
}

/**
 * Made by a class, and its list of children by a call: V8 allocates what a literal makes in the old generation as
 * soon as most of it survived one collection, and a collection in the middle of a page finds all of it in use. From
 * then on each page stayed in memory until the whole heap was collected, with all that its elements refer to.
 */
class TreeElement implements ContentElement {
  readonly index: number;
  readonly name: string;
  readonly attributes: ContentElement['attributes'];
  readonly parent: ContentElement | undefined;
  readonly children = listOf<ContentElement | string>();
  readonly isUnseen: boolean;
  readonly isInline: boolean;
  hasBlocks: boolean;

  constructor(
    index: number,
    name: string,
    attributes: ContentElement['attributes'],
    parent: ContentElement | undefined,
  ) {
    this.index = index;
    this.name = name;
    this.attributes = attributes;
    this.parent = parent;
    this.isUnseen = isUnseen(name, attributes);
    this.isInline = INLINE.has(name) || name === 'br';
    this.hasBlocks = parent === undefined;
  }
}

const listOf = <T>(...items: T[]): T[] => items;

/** Further elements of a document are dropped, with the text in them. */
export const MAX_ELEMENTS = 100_000;

/** The attributes that are read. */
const CONTENT_ATTRIBUTES: ReadonlySet<string> = new Set(
  'alt class content data-src datetime hidden href id itemprop lang name property rel role src start style type xml:lang'.split(
    ' ',
  ),
);

/**
 * Parses HTML, whatever it is. Returns all elements in document order, the root first, with the `wanted` attributes.
 * Time and memory are linear.
 */
export function parseElements(
  html: string,
  wanted: ReadonlySet<string> = CONTENT_ATTRIBUTES,
): readonly ContentElement[] {
  const root = new TreeElement(0, '#document', {}, undefined);
  const elements: ContentElement[] = [root];
  let current: ContentElement = root;
  let depth = 0;
  /** Open elements that were not added, since there were too many or they were too deep. */
  let dropped = 0;
  parseShallow(
    html,
    {
      onopentag(name, attributes) {
        if (dropped > 0 || depth >= MAX_DEPTH || elements.length >= MAX_ELEMENTS) {
          dropped++;
          return;
        }
        depth++;
        const element = new TreeElement(elements.length, name, attributes, current);
        elements.push(element);
        current.children.push(element);
        if (!element.isInline) markBlock(current);
        current = element;
      },
      onclosetag() {
        if (dropped > 0) {
          dropped--;
          return;
        }
        if (!current.parent) return;
        depth--;
        current = current.parent;
      },
      ontext(text) {
        if (elements.length >= MAX_ELEMENTS) return;
        const { children } = current;
        const last = children.length - 1;
        if (typeof children[last] === 'string') children[last] += text;
        else children.push(text);
      },
    },
    () => {
      dropped = Math.min(dropped, MAX_DEPTH - 1);
    },
    wanted,
  );
  return elements;
}

/** Whether readers never see it. They see what they can open (tabs, accordions), and what scripts show after loading. */
function isUnseen(name: string, attributes: ContentElement['attributes']): boolean {
  if (UNSEEN.has(name)) return true;
  const { hidden, style } = attributes;
  const isHidden = hidden !== undefined || (style !== undefined && /display\s{0,3}:\s{0,3}none/i.test(style));
  return isHidden && attributes.role !== 'tabpanel' && !STREAMED.test(attributes.id ?? '');
}

/**
 * React sends parts of a page that come late in hidden elements, and moves them to their places (`S:0`,
 * `S:1a`).
 */
const STREAMED = /^S:[0-9a-f]{1,8}$/;

/** Each element is marked once: the ones around a marked one are marked already. */
function markBlock(inner: ContentElement): void {
  for (
    let element: ContentElement | undefined = inner;
    element && !element.hasBlocks;
    element = element.parent
  )
    element.hasBlocks = true;
}
