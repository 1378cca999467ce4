import { BLOCKS } from '../parser/block-elements.ts';
import { isShadowRoot } from '../parser/html-tree.ts';
import { MAX_DEPTH, parseShallow } from '../parser/shallow-parser.ts';
import type { ContentElement } from './content-element.ts';
import { isStreamedPart, placeStreamedParts } from './streamed-parts.ts';
import { TAB_ATTRIBUTES, TAB_LABEL, TabFinder } from './tab-labels.ts';
import { UNSEEN } from './tags.ts';
import { WholeFinder } from './whole-elements.ts';
import { WordsApart } from './words-apart.ts';

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
  isUnseen: boolean;
  readonly isInline: boolean;
  hasBlocks: boolean;
  hasFlow: boolean;
  whole: ContentElement['whole'] = undefined;

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
    const display = attributes.style === undefined ? '' : displayOf(attributes.style);
    this.isUnseen = isUnseen(name, attributes, display);
    this.isInline = name === 'br' || isInlineName(name, display);
    this.hasBlocks = parent === undefined;
    this.hasFlow = this.hasBlocks;
  }
}

const listOf = <T>(...items: T[]): T[] => items;

/** The name given to the shadow root of an element: its content is text of the page, unlike that of other templates. */
const SHADOW = '#shadow-root';

/** Further elements of a document are dropped, with the text in them. */
export const MAX_ELEMENTS = 100_000;

/** The attributes that are read. */
const CONTENT_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...TAB_ATTRIBUTES,
  ...(
    'alt alttext aria-hidden checked class colspan content data-lang data-language data-latex data-lazy-src data-math data-original data-src ' +
    'data-srcset data-tex datetime disabled display encoding hidden href id itemprop lang mode name open popover property rel reversed role ' +
    'rowspan shadowrootmode src srcset start style type value xml:lang'
  ).split(' '),
]);

/**
 * Parses HTML, whatever it is. Returns all elements in document order, the root first, with the `wanted` attributes.
 * `isHidden`: further elements that count as unseen. Time and memory are linear.
 */
export function parseElements(
  html: string,
  wanted: ReadonlySet<string> = CONTENT_ATTRIBUTES,
  isHidden?: (element: ContentElement) => boolean,
): readonly ContentElement[] {
  const root = new TreeElement(0, '#document', {}, undefined);
  const elements: ContentElement[] = [root];
  const wholes = wanted === CONTENT_ATTRIBUTES ? new WholeFinder() : undefined;
  const tabs = new TabFinder();
  const apart = wholes && new WordsApart();
  let current: ContentElement = root;
  let depth = 0;
  /** Open elements that were not added, since there were too many or they were too deep. */
  let dropped = 0;
  parseShallow(
    placeStreamedParts(html),
    {
      onopentag(name, attributes) {
        if (dropped > 0 || depth >= MAX_DEPTH - 1 || elements.length >= MAX_ELEMENTS) {
          dropped++;
          return;
        }
        depth++;
        const shown = nameInTree(name, attributes, current);
        const element = new TreeElement(elements.length, shown, attributes, current);
        elements.push(element);
        current.children.push(element);
        const isAlsoHidden = isHidden?.(element) === true;
        if (isAlsoHidden) element.isUnseen = true;
        if (!element.isInline && !element.isUnseen) {
          markBlock(current);
          if (BLOCKS.has(name) && !LINES.has(name)) markFlow(current);
        }
        if (!isAlsoHidden) wholes?.note(element);
        if (attributes.role !== undefined) tabs.note(element);
        apart?.open(element);
        current = element;
      },
      onclosetag: leave,
      ontext(read) {
        if (elements.length >= MAX_ELEMENTS) return;
        const text = apart ? apart.text(read, current) : read;
        if (text === '') return;
        const { children } = current;
        const last = children.length - 1;
        if (typeof children[last] === 'string') children[last] += text;
        else children.push(text);
      },
    },
    leave,
    wanted,
  );
  wholes?.find();
  apart?.hide();
  if (wholes) for (const [panel, label] of tabs.labels(elements)) addLabel(panel, label, elements);
  return elements;

  /** An element ends; or the parser forgets one, so that one end fewer is to come. */
  function leave(): void {
    if (dropped > 0) dropped--;
    else if (current.parent) {
      depth--;
      apart?.close(current);
      current = current.parent;
    }
  }
}

/** As a line in bold type at the panel's begin. */
function addLabel(panel: ContentElement, label: string, elements: ContentElement[]): void {
  if (elements.length + 2 > MAX_ELEMENTS || panel.whole !== undefined || panel.isInline) return;
  const line = new TreeElement(elements.length, 'p', { [TAB_LABEL]: '' }, panel);
  const bold = new TreeElement(elements.length + 1, 'strong', {}, line);
  elements.push(line, bold);
  bold.children.push(label);
  line.children.push(bold);
  panel.children.unshift(line);
  markBlock(panel);
  markFlow(panel);
}

function nameInTree(
  name: string,
  attributes: ContentElement['attributes'],
  { attributes: around }: ContentElement,
): string {
  if (name === 'template' && isShadowRoot({ get: (given) => attributes[given] })) return SHADOW;
  const isTitle =
    // Doxygen and Haddock.
    (attributes.class === 'title' && around.class === 'headertitle') ||
    (attributes.class === 'caption' && around.id === 'module-header');
  if (isTitle) return 'h1';
  // An image of AMP may hold one for browsers without scripts.
  return name === 'amp-img' ? 'img' : name;
}

/**
 * Whether readers never see it. Content that opens (tabs, accordions) or that scripts show after loading counts as
 * visible.
 */
function isUnseen(name: string, attributes: ContentElement['attributes'], display: string): boolean {
  if (UNSEEN.has(name) || TOOLS.has(attributes.class ?? '')) return true;
  const isHidden = attributes.hidden !== undefined || display === 'none';
  return isHidden && attributes.role !== 'tabpanel' && !isStreamedPart(attributes.id ?? '');
}

/**
 * Shown only while a pointer is over something else: tooltips of Doxygen, a hint of RDoc; after a press: Dokka; only while its text is not: rustdoc; or to edit a
 * part of the page: MediaWiki.
 */
const TOOLS: ReadonlySet<string> = new Set([
  'ttc',
  'method-click-advice',
  'hideme',
  'mw-editsection',
  'copy-popup-wrapper ',
  'copy-popup-wrapper popup-to-left',
]);

const displayOf = (style: string): string =>
  /display\s{0,3}:\s{0,3}([a-z-]{1,20})/i.exec(style)?.[1]?.toLowerCase() ?? '';
const isInlineName = (name: string, display: string): boolean => {
  if (display === '') return !BLOCKS.has(name);
  return BLOCKS.has(name) ? INLINE_DISPLAY.test(display) : !BLOCK_DISPLAY.test(display);
};
const INLINE_DISPLAY = /^(?:inline|contents)$/;
const BLOCK_DISPLAY = /^(?:block|flex|flow-root|grid|list-item|table)$/;

/** Blocks that may be a line of code, or hold some. */
const LINES: ReadonlySet<string> = new Set(
  'div li ol table tbody td tfoot th thead tr pre listing xmp'.split(' '),
);

/** Each element is marked once: the ones around a marked one are marked already, up to one that is not seen. */
function markBlock(inner: ContentElement): void {
  for (
    let element: ContentElement | undefined = inner;
    element && !element.hasBlocks && !element.isUnseen;
    element = element.parent
  )
    element.hasBlocks = true;
}

function markFlow(inner: ContentElement): void {
  for (let element: ContentElement | undefined = inner; element && !element.hasFlow; element = element.parent)
    element.hasFlow = true;
}
