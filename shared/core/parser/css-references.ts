/**
 * Finds the references of a style sheet or a `style` attribute (CSS Syntax level 3, section 4: URLs and
 * strings as tokens).
 */
import type { RequisiteKind } from './link-set.ts';

/**
 * Reports each reference of `css` in order, with the kind of its position: `font` inside `@font-face`, else `css`
 * (`url()` and `@import`). A string directly within `image-set()` is one, too (CSS Images level 4, section 2.4).
 * References into the document itself (`url(#mask)`), and the names of `@namespace`, are none. An escape in the word
 * `url` itself is not undone. Linear in the text's length.
 *
 * With `mayBeCut`, a reference that the text's end closes, which the standard allows, is none: of a style
 * sheet that broke off it may be half a URL, of another host even.
 */
export function cssReferences(
  css: string,
  add: (reference: string, kind: RequisiteKind, from: number, to: number) => void,
  mayBeCut = false,
): void {
  let isFont = false;
  let depthInSet = 0;
  let at = 0;
  const take = (from: number, to: number, kind: RequisiteKind) => {
    const reference = unescaped(css.slice(from, to)).trim();
    const isCut = mayBeCut && to === css.length;
    if (!isCut && reference !== '' && !reference.startsWith('#')) add(reference, kind, from, to);
  };
  const takeString = (quoteAt: number, kind: RequisiteKind): number => {
    const end = endOfString(css, quoteAt);
    if (css.charCodeAt(end) === css.charCodeAt(quoteAt) || end === css.length) take(quoteAt + 1, end, kind);
    return end + 1;
  };
  for (;;) {
    const found = nextMark(css, at, { isFont, isInSet: depthInSet > 0 });
    if (found === null) return;
    at = found.index + found[0].length;
    switch (found[0].toLowerCase()) {
      case '/*':
        at = behindComment(css, at);
        break;
      case '\\':
        at++;
        break;
      case '}':
      case ';':
        isFont &&= found[0] === ';';
        depthInSet = 0;
        break;
      case 'image-set(':
        if (isName(css, found.index, '-webkit-')) depthInSet = 1;
        break;
      case '(':
      case ')':
        depthInSet += found[0] === '(' ? 1 : -1;
        break;
      case 'url(': {
        if (!isName(css, found.index)) {
          depthInSet += Number(depthInSet > 0);
          break;
        }
        let from = at;
        while (isSpace(css.charCodeAt(from))) from++;
        if (isQuote(css.charCodeAt(from))) {
          at = takeString(from, isFont ? 'font' : 'css');
          break;
        }
        const [end, isUrl] = endOfUrl(css, from);
        if (isUrl) take(from, end, isFont ? 'font' : 'css');
        at = end + 1;
        break;
      }
      case '@import':
        at = behindSpace(css, at);
        if (isQuote(css.charCodeAt(at))) at = takeString(at, 'css');
        break;
      case '@font-face':
        isFont = !isNameCode(css.charCodeAt(at));
        break;
      case '@namespace':
        at = behindStatement(css, at);
        break;
      default:
        at = depthInSet === 1 ? takeString(found.index, 'css') : endOfString(css, found.index) + 1;
    }
  }
}

function nextMark(
  css: string,
  from: number,
  { isFont, isInSet }: { readonly isFont: boolean; readonly isInSet: boolean },
): RegExpExecArray | null {
  const mark = isInSet ? MARK_IN_SET : isFont ? MARK_IN_FONT : MARK;
  mark.lastIndex = from;
  return mark.exec(css);
}

/** Whether a name begins at `at`, perhaps behind a prefix. */
function isName(css: string, at: number, prefix?: string): boolean {
  if (!isNameCode(css.charCodeAt(at - 1))) return true;
  if (prefix === undefined) return false;
  const from = at - prefix.length;
  return css.slice(Math.max(from, 0), at).toLowerCase() === prefix && isName(css, from);
}

const MARK = /\/\*|["'\\]|url\(|image-set\(|@(?:import|font-face|namespace)/gi;
const MARK_IN_FONT = /\/\*|["'\\}]|url\(|@(?:import|font-face|namespace)/gi;
const MARK_IN_SET = /\/\*|["'\\};()]|url\(/gi;

/**
 * The index of the quote that closes the string at `from`, of the line's end that breaks it, or the text's
 * end.
 */
function endOfString(css: string, from: number): number {
  const quote = css.charCodeAt(from);
  let at = from + 1;
  for (; at < css.length; at++) {
    const code = css.charCodeAt(at);
    if (code === quote || isNewline(code)) break;
    if (code === BACKSLASH) at += css.startsWith('\r\n', at + 1) ? 2 : 1;
  }
  return Math.min(at, css.length);
}

/**
 * The index of the `)` that ends the unquoted URL at `from`, or the text's end; and whether it is a URL at
 * all.
 */
function endOfUrl(css: string, from: number): [end: number, isUrl: boolean] {
  let isUrl = true;
  let hasSpace = false;
  let at = from;
  for (; at < css.length; at++) {
    const code = css.charCodeAt(at);
    if (code === CLOSING) break;
    if (isSpace(code)) {
      hasSpace = true;
      continue;
    }
    if (hasSpace || isQuote(code) || code === OPENING || code < 0x20) isUrl = false;
    if (code !== BACKSLASH) continue;
    if (isNewline(css.charCodeAt(at + 1))) isUrl = false;
    // A space after a hexadecimal escape is part of it.
    HEX_ESCAPE.lastIndex = at;
    at = HEX_ESCAPE.test(css) ? HEX_ESCAPE.lastIndex - 1 : at + 1;
  }
  return [Math.min(at, css.length), isUrl];
}

const HEX_ESCAPE = /\\[0-9a-f]{1,6}(?:\r\n|[\t\n\f\r ])?/iy;
const ESCAPE = /\\(?:([0-9a-f]{1,6})(?:\r\n|[\t\n\f\r ])?|\r\n|(.|$))/gis;

/** Undoes escapes; an escaped end of line in a string is nothing. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (_, hex: string | undefined, character: string | undefined) => {
    if (hex === undefined)
      return character === undefined || isNewline(character.charCodeAt(0)) ? '' : character;
    const codePoint = Number.parseInt(hex, 16);
    const isNone = codePoint === 0 || codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff);
    return isNone ? '\ufffd' : String.fromCodePoint(codePoint);
  });
}

/** Behind white space and comments. */
function behindSpace(css: string, from: number): number {
  let at = from;
  for (;;) {
    while (isSpace(css.charCodeAt(at))) at++;
    if (!css.startsWith('/*', at)) return at;
    at = behindComment(css, at + 2);
  }
}

function behindComment(css: string, from: number): number {
  const end = css.indexOf('*/', from);
  return end === -1 ? css.length : end + 2;
}

function behindStatement(css: string, from: number): number {
  const end = css.indexOf(';', from);
  return end === -1 ? css.length : end + 1;
}

const isSpace = (code: number) => code === 0x20 || code === 0x09 || isNewline(code);
const isNewline = (code: number) => code === 0x0a || code === 0x0d || code === 0x0c;
const isQuote = (code: number) => code === 0x22 || code === 0x27;
/** Letters, digits, `-`, `_` and all beyond ASCII. */
const isNameCode = (code: number) =>
  code >= 0x80 ||
  (code >= 0x30 && code <= 0x39) ||
  ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) ||
  code === 0x2d ||
  code === 0x5f;
const OPENING = 0x28;
const CLOSING = 0x29;
const BACKSLASH = 0x5c;
