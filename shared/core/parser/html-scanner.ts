/**
 * Finds the tags of an HTML document in its text as the text arrives (HTML standard, section 13.2.5): comments,
 * scripts, styles and other raw text have no tags, and a tag that the document's end cuts off is dropped.
 */
import { isBlockName } from './block-elements.ts';
import { createHtmlTree, type Placement } from './html-tree.ts';
import { endOfRawText } from './raw-text.ts';
import { AttributeList, type RawAttributes, readAttributes } from './tag-attributes.ts';
import { createUnfinishedText } from './unfinished-text.ts';
import type { WantedElements } from './wanted-elements.ts';

export interface HtmlScannerOptions {
  /** The elements whose start tags are reported. */
  readonly elements: WantedElements;
  /** XML syntax: `<script/>` is empty, and CDATA sections stand anywhere. */
  readonly isXml: boolean;
  /** A start tag of one of `elements` that the document holds (not inside a template, nor of SVG or MathML). */
  onStartTag(name: string, attributes: RawAttributes): void;
  /** The start tag of an `a` of SVG, if that is one of `elements`: a link, too. */
  readonly onForeignAnchor?: ((attributes: RawAttributes) => void) | undefined;
  /** An end tag of `noscript`. */
  readonly onNoscriptEnd?: (() => void) | undefined;
  /** The text of a `title` element, character references not decoded. */
  onTitle(text: string): void;
  /** The markup in a `noframes` element, which browsers take for text: what those without frames show. */
  readonly onNoframes?: ((html: string) => void) | undefined;
  /** If set, text that may hold style rules is reported, too. */
  readonly styles?: StyleListener | undefined;
  /**
   * Reads visible text, character references not decoded, from `from` up to the next `<` or the end of `text`, and
   * returns that index. Pieces may have any length.
   */
  readonly readText?: ((text: string, from: number) => number) | undefined;
  /** The tag of an element that begins a line (`BLOCKS`), at its start or end. */
  readonly onBlockTag?: (() => void) | undefined;
}

export interface StyleListener {
  /** The text of a `style` element. */
  onStyle(text: string): void;
  /** Any other start tag of the document that holds `url(` or `image-set(` in an attribute. */
  onStyledTag(attributes: RawAttributes): void;
  /** A start tag inside SVG or MathML that belongs to these. */
  onForeignTag(name: string, attributes: RawAttributes): void;
}

export interface HtmlScanner {
  write(text: string): void;
  end(): void;
}

/** The calls do not depend on how the text was cut into pieces. Work is linear in the text's length. */
export function createHtmlScanner(options: HtmlScannerOptions): HtmlScanner {
  return createUnfinishedText(createScan(options));
}

/** The index behind the tag whose name ends at `nameEnd`, or -1. */
const endOfTag = (text: string, nameEnd: number): number =>
  text.charCodeAt(nameEnd) === GREATER ? nameEnd + 1 : readAttributes(text, nameEnd);

const NOSCRIPT = 'noscript';

/** Returns a function that reports the tags in `text` and returns how much of the text it is done with. */
function createScan({
  elements,
  isXml,
  onStartTag,
  onForeignAnchor,
  onNoscriptEnd,
  onTitle,
  onNoframes,
  styles,
  readText,
  onBlockTag,
}: HtmlScannerOptions) {
  const tree = createHtmlTree();
  const styledTag = styles && createStyledTag(styles);
  /** The raw text element that is open, and whether it is one of the document's own. */
  let rawText: string | undefined;
  let isOwnRawText = false;
  const list = new AttributeList();
  /** Names of all tags are needed. */
  const isNamed = isXml || styledTag !== undefined;

  /** For a tag that is whole: of one that is not, the name may be cut. */
  const noteBlock = (text: string, from: number, nameEnd: number): void => {
    if (onBlockTag !== undefined && isBlockName(text, from, nameEnd)) onBlockTag();
  };

  /** Handles the start tag whose name is `text[from..nameEnd)`; returns the index behind it, or -1. */
  const startTag = (text: string, from: number, nameEnd: number): number => {
    const known = elements.find(text, from, nameEnd);
    if (known === undefined && !isNamed && tree.isPlain()) {
      const end = endOfTag(text, nameEnd);
      if (end !== -1) noteBlock(text, from, nameEnd);
      return end;
    }
    const name = known?.name ?? text.slice(from, nameEnd).toLowerCase();
    const isPlain = tree.isPlain() && !isXml && known?.isApart !== true;
    const isWanted = known?.isWanted === true;
    const attributes = isWanted || !isPlain ? list : undefined;
    list.clear();
    const isBare = text.charCodeAt(nameEnd) === GREATER;
    const end = isBare ? nameEnd + 1 : readAttributes(text, nameEnd, attributes);
    if (end === -1) return -1;
    noteBlock(text, from, nameEnd);

    const isEmpty = !isPlain && list.isSelfClosing;
    const placement = isPlain ? 'document' : tree.startTag(name, attributes!, isEmpty);
    if (isWanted && placement === 'document') onStartTag(name, attributes!);
    else {
      if (isWanted && placement === 'foreign' && name === 'a' && !tree.isTemplate())
        onForeignAnchor?.(attributes!);
      styledTag?.(name, placement, attributes, text, nameEnd, end);
    }
    if (
      (placement === 'document' || placement === 'template') &&
      known?.isRawText === true &&
      !(isXml && isEmpty)
    ) {
      rawText = name;
      isOwnRawText = placement === 'document';
    }
    return end;
  };

  const endTag = (text: string, from: number): number => {
    const nameEnd = endOfName(text, from);
    const end = endOfTag(text, nameEnd);
    if (end === -1) return -1;
    noteBlock(text, from, nameEnd);
    if (nameEnd - from === NOSCRIPT.length && text.slice(from, nameEnd).toLowerCase() === NOSCRIPT)
      onNoscriptEnd?.();
    if (!tree.isPlain()) tree.endTag(text.slice(from, nameEnd).toLowerCase());
    return end;
  };

  /** The index behind the comment, declaration or CDATA section at `at`, or -1. */
  const skipDeclaration = (text: string, at: number): number => {
    if (text.startsWith('<!--', at)) return skipComment(text, at + 4);
    if ((isXml || tree.isForeign()) && text.startsWith('<![CDATA[', at))
      return indexBehind(text, ']]>', at + 9);
    return indexBehind(text, '>', at + 2);
  };

  return (text: string, isLast: boolean): number => {
    let at = 0;
    for (;;) {
      if (rawText !== undefined) {
        const found = endOfRawText(text, at, rawText);
        if (found === -1 && !isLast) return rawText === 'plaintext' ? text.length : at;
        const end = found === -1 ? text.length : found;
        if (rawText === 'title' && isOwnRawText) onTitle(text.slice(at, end));
        else if (rawText === 'noframes' && isOwnRawText && found !== -1) onNoframes?.(text.slice(at, end));
        else if (rawText === 'style' && isOwnRawText) styles?.onStyle(text.slice(at, end));
        rawText = undefined;
        at = end;
      }
      // Not `charCodeAt` of it: V8 gives up the optimized code of a place that has asked for what is behind the end.
      if (at === text.length) return at;
      let mark = at;
      // Looked at at the beginning of a piece, too: a tag ends the run of text of the piece before.
      if (at === 0 || text.charCodeAt(at) !== LESS) {
        mark = readText !== undefined && !tree.isTemplate() ? readText(text, at) : endOfText(text, at);
        if (mark === text.length) return mark;
      }
      const code = text.charCodeAt(mark + 1);
      if (isLetter(code)) {
        at = startTag(text, mark + 1, endOfName(text, mark + 1));
      } else if (code === SLASH) {
        const next = text.charCodeAt(mark + 2);
        if (isLetter(next)) at = endTag(text, mark + 2);
        else at = mark + 2 < text.length ? indexBehind(text, '>', mark + 2) : -1;
      } else if (code === EXCLAMATION) {
        at = skipDeclaration(text, mark);
      } else if (code === QUESTION) {
        at = indexBehind(text, '>', mark + 2);
      } else {
        at = mark + 1 < text.length ? mark + 1 : -1;
      }
      if (at === -1) return isLast ? text.length : mark;
    }
  };
}

/** Returns a function that reports a start tag to `styles`; its attributes are `text[nameEnd..end)`. */
function createStyledTag(styles: StyleListener) {
  const own = new AttributeList();
  /** Where the next of these in `searched` is; so each character is looked at once. */
  let searched = '';
  let next = -1;
  return (
    name: string,
    placement: Placement,
    attributes: RawAttributes | undefined,
    text: string,
    nameEnd: number,
    end: number,
  ): void => {
    if (placement === 'foreign') styles.onForeignTag(name, attributes!);
    if (placement !== 'document') return;
    if (text !== searched || next < nameEnd) {
      searched = text;
      URL_FUNCTION.lastIndex = nameEnd;
      next = URL_FUNCTION.exec(text)?.index ?? text.length;
    }
    if (next >= end) return;
    if (attributes === undefined) {
      own.clear();
      readAttributes(text, nameEnd, own);
    }
    const found = attributes ?? own;
    styles.onStyledTag(found);
  };
}
const URL_FUNCTION = /(?:url|image-set)\(/gi;

/**
 * The index behind the comment whose text begins at `from`, or -1. `<!-->` and `<!--->` are whole comments.
 */
function skipComment(text: string, from: number): number {
  if (text.startsWith('>', from)) return from + 1;
  if (text.startsWith('->', from)) return from + 2;
  COMMENT_END.lastIndex = from;
  return COMMENT_END.test(text) ? COMMENT_END.lastIndex : -1;
}
const COMMENT_END = /--!?>/g;

function indexBehind(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? -1 : found + mark.length;
}

function endOfName(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && !isEndOfName(text.charCodeAt(at))) at++;
  return at;
}

/** The index of the next `<`, or the text's end. */
export function endOfText(text: string, from: number): number {
  const mark = text.indexOf('<', from);
  return mark === -1 ? text.length : mark;
}

const isEndOfName = (code: number) =>
  code === GREATER ||
  code === 0x20 ||
  code === SLASH ||
  (code <= 0x0d && (code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c));
const isLetter = (code: number) => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;

const EXCLAMATION = 0x21;
const SLASH = 0x2f;
const LESS = 0x3c;
const GREATER = 0x3e;
const QUESTION = 0x3f;
