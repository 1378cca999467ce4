/**
 * Which character encoding a document is in, as browsers find it out (for HTML: HTML standard, section
 * 13.2.3.2, and the Encoding standard). Names are the Encoding standard's, in lower case.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { charsetOf } from './charset-decoder.ts';
import { charsetParameter } from './media-type.ts';
import { prescanForCharset, xmlDeclarationCharset } from './meta-prescan.ts';

/**
 * How much of a document the sniffing looks at. Authors are asked to declare the encoding in the first 1,024
 * bytes; where they do so later, browsers start over ("change the encoding"). Looking further at once comes
 * to the same.
 */
export const SNIFFED_BYTES = 16_384;

/**
 * Returns the document's encoding, by the first of these that is there: a byte order mark; the `charset` of
 * Content-Type; a declaration in the first {@link SNIFFED_BYTES} bytes; and where the standard leaves the
 * choice to a locale, whether those bytes are valid UTF-8. If not, it is `windows-1252`, as in most locales'
 * browsers; and so it is for a document of ASCII to its end, for which both are the same.
 *
 * `start` is the document's first {@link SNIFFED_BYTES} bytes, or all of a shorter one. More is not looked
 * at, so that the answer does not depend on how the document arrived.
 */
export function sniffCharset(start: Uint8Array, contentType: string | undefined): string {
  const sniffed = start.subarray(0, SNIFFED_BYTES);
  return (
    byteOrderMark(sniffed) ??
    charsetOf(charsetParameter(contentType)) ??
    prescanForCharset(sniffed) ??
    undeclaredCharset(sniffed)
  );
}

/** Longer than any XML declaration; CSS Syntax asks for as many. */
export const XML_SNIFFED_BYTES = 1024;
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
  const isWhole = bytes.length < SNIFFED_BYTES;
  if (isWhole && isAscii(bytes)) return 'windows-1252';
  return isUtf8(isWhole ? bytes : withoutCutCharacter(bytes)) ? 'utf-8' : 'windows-1252';
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
