/**
 * Which character encoding a document is in, as browsers find it out (for HTML: HTML standard, section
 * 13.2.3.2, and the Encoding standard). Names are the Encoding standard's, in lower case.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { charsetOf, decodeAll } from './charset-decoder.ts';
import { guessCharset } from './guess-charset.ts';
import { charsetParameter } from './media-type.ts';
import { prescanForCharset, xmlDeclarationCharset } from './meta-prescan.ts';
import type { CharsetSniffing } from './text-decoder.ts';

/**
 * How much of a document is searched for a declaration at once. Authors are asked to declare the encoding in the first 1,024
 * bytes; where they do so later, browsers start over ("change the encoding").
 */
export const SNIFFED_BYTES = 16_384;
/** How much of a document is looked at that declares nothing there. */
export const UNDECLARED_BYTES = 262_144;

/**
 * Returns the document's encoding, by the first of these that is there and that its bytes do not contradict: a byte order mark;
 * the `charset` of Content-Type; a declaration in the first {@link SNIFFED_BYTES} bytes; one in the first {@link UNDECLARED_BYTES}; and where
 * the standard leaves the choice to browsers, whether those bytes are UTF-8, and what they look like (`guessCharset`). If
 * they look like nothing, it is `windows-1252`, as in most locales' browsers; and so it is for a document of ASCII to its
 * end, for which both are the same.
 *
 * `start`: the document, or its first {@link UNDECLARED_BYTES} bytes. More is not looked at, so that the answer does not
 * depend on how the document arrived.
 */
export function sniffCharset(start: Uint8Array, contentType: string | undefined): string {
  return (
    declaredCharset(start.subarray(0, SNIFFED_BYTES), contentType) ??
    undeclaredCharset(start.subarray(0, UNDECLARED_BYTES))
  );
}

/** {@link sniffCharset} for a document that arrives in pieces. */
export const charsetSniffing = (contentType: string | undefined): CharsetSniffing => ({
  sniffedBytes: SNIFFED_BYTES,
  moreBytes: UNDECLARED_BYTES,
  sniff: (start, isWhole) =>
    isWhole || start.length >= UNDECLARED_BYTES
      ? sniffCharset(start, contentType)
      : declaredCharset(start.subarray(0, SNIFFED_BYTES), contentType),
});

function declaredCharset(start: Uint8Array, contentType: string | undefined): string | undefined {
  const mark = byteOrderMark(start);
  if (mark !== undefined) return mark;
  const named = charsetOf(charsetParameter(contentType));
  if (named === undefined) return unlessWrong(prescanForCharset(start), start);
  if (unlessWrong(named, start) === undefined) return unlessWrong(prescanForCharset(start), start);
  // Some servers give all their pages one charset.
  if (named === 'utf-8' || isAscii(start) || !isUtf8(withoutCutCharacter(start))) return named;
  return prescanForCharset(start) === 'utf-8' ? 'utf-8' : named;
}

/** A few broken characters, or bytes, of a short text contradict nothing. */
const MIN_WRONG = 5;
const MIN_UTF16_BYTES = 32;

/** Undefined for an encoding in which the bytes cannot be. Browsers obey it anyway, and show what nobody can read. */
function unlessWrong(charset: string | undefined, start: Uint8Array): string | undefined {
  if (charset === 'utf-8') {
    if (isUtf8(start) || isUtf8(withoutCutCharacter(start))) return charset;
    const { right, wrong } = charactersOfUtf8(start);
    return wrong >= MIN_WRONG && wrong > 4 * right ? undefined : charset;
  }
  // Markup in UTF-16 is full of zeros.
  const isUtf16 = charset === 'utf-16le' || charset === 'utf-16be';
  return isUtf16 && start.length >= MIN_UTF16_BYTES && !start.includes(0) ? undefined : charset;
}

/** Longer than any XML declaration; as CSS Syntax requires. */
const XML_SNIFFED_BYTES = 1024;
export const CSS_SNIFFED_BYTES = 1024;

/**
 * Returns the encoding of XML (RFC 7303, section 3): by a byte order mark, the `charset` of Content-Type, the
 * XML declaration, else UTF-8.
 */
export function sniffXmlCharset(start: Uint8Array, contentType: string | undefined): string {
  const text = latin1(start.subarray(0, XML_SNIFFED_BYTES));
  return (
    byteOrderMark(start) ??
    charsetOf(charsetParameter(contentType)) ??
    (text.startsWith('<\0') ? 'utf-16le' : undefined) ??
    (text.startsWith('\0<') ? 'utf-16be' : undefined) ??
    xmlDeclarationCharset(text.trimStart()) ??
    'utf-8'
  );
}

export const xmlSniffing = (contentType: string | undefined): CharsetSniffing => ({
  sniffedBytes: XML_SNIFFED_BYTES,
  sniff: (start) => sniffXmlCharset(start, contentType),
});

/** Returns the encoding of a style sheet (CSS Syntax level 3, section 3.2). */
export function sniffCssCharset(start: Uint8Array, contentType: string | undefined): string {
  const declared = /^@charset "([^"]*)";/.exec(latin1(start.subarray(0, CSS_SNIFFED_BYTES)))?.[1];
  const charset = charsetOf(declared);
  return (
    byteOrderMark(start) ??
    charsetOf(charsetParameter(contentType)) ??
    (charset?.startsWith('utf-16') ? 'utf-8' : charset) ??
    'utf-8'
  );
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function undeclaredCharset(bytes: Uint8Array): string {
  const mayDeclare = CHARSET.test(latin1(bytes.subarray(SNIFFED_BYTES)));
  const late = mayDeclare ? prescanForCharset(bytes) : undefined;
  if (late !== undefined) return late;
  const isWhole = bytes.length < UNDECLARED_BYTES;
  if (isAscii(bytes)) {
    const text = latin1(bytes);
    if (ISO_2022_JP.some((sequence) => text.includes(sequence))) return 'iso-2022-jp';
    return isWhole ? 'windows-1252' : 'utf-8';
  }
  if (isUtf8(isWhole ? bytes : withoutCutCharacter(bytes)) || isNearlyUtf8(bytes)) return 'utf-8';
  return guessCharset(bytes) ?? 'windows-1252';
}

/** A look at each tag takes 20 times as long. */
const CHARSET = /charset/i;
/** They lead to JIS X 0208, and no text has them otherwise. */
const ISO_2022_JP = ['\x1b$B', '\x1b$@'];

/** A few characters of a text in UTF-8 may be broken: those of no other encoding look like it so often. */
function isNearlyUtf8(bytes: Uint8Array): boolean {
  const { right, wrong } = charactersOfUtf8(bytes.subarray(0, SNIFFED_BYTES));
  return right > 20 * wrong;
}

/** The characters beyond ASCII, and the errors. */
function charactersOfUtf8(bytes: Uint8Array): { readonly right: number; readonly wrong: number } {
  let wrong = 0;
  let right = 0;
  for (const character of decodeAll(bytes, 'utf-8')) {
    if (character === '\ufffd') wrong++;
    else if (character > '\x7f') right++;
  }
  return { right, wrong };
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return undefined;
}

/** Leaves out a last UTF-8 character that the window's end cuts in two, which says nothing against UTF-8. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= 3; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0xc0) return bytes.subarray(0, bytes.length - back);
    if (byte < 0x80) break;
  }
  return bytes;
}
