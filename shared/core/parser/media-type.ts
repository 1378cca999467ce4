/** Reads the media type from a Content-Type, or guesses it for a document without one. */

/**
 * The type without parameters, in lower case: `text/html`. Undefined where the field is missing or says
 * nothing.
 */
export function essenceOf(contentType: string | undefined): string | undefined {
  const essence = /^[\t\n\r ]*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)[\t\n\r ]*(?:;|,|$)/.exec(
    contentType ?? '',
  )?.[1];
  const type = essence?.toLowerCase();
  return type === undefined || SAYS_NOTHING.has(type) ? undefined : type;
}

/** Types that browsers treat as none (MIME Sniffing standard, section 7). */
const SAYS_NOTHING = new Set(['*/*', 'unknown/unknown', 'application/unknown']);

/** The value of the `charset` parameter, without its quotes. White space around `=` is forgiven. */
export function charsetParameter(contentType: string | undefined): string | undefined {
  const found = /;[\t\n\r ]*charset[\t\n\r ]*=[\t\n\r ]*(?:"([^"]*)|'([^']*)|([^;,]*))/i.exec(
    contentType ?? '',
  );
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

/** The number of bytes that the MIME Sniffing standard reads: section 5.2. */
export const MIME_SNIFFED_BYTES = 1445;

/**
 * The type of a document that came without one, by its first bytes: the main cases of the MIME Sniffing
 * standard, section 7.1. Unlike there, a byte order mark does not hide HTML.
 */
export function sniffMimeType(start: Uint8Array): string {
  const text = Buffer.from(start.buffer, start.byteOffset, start.byteLength).toString('latin1');
  if (HTML.test(text)) return 'text/html';
  if (XML.test(text)) return 'text/xml';
  const signature = SIGNATURES.find(([bytes, , offset = 0]) => text.startsWith(bytes, offset));
  if (signature) return signature[1];
  return BYTE_ORDER_MARK.test(text) || !isBinary(start) ? 'text/plain' : 'application/octet-stream';
}

const HTML =
  /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >])/i;
const XML = /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*<\?xml/;
const BYTE_ORDER_MARK = /^(?:\xef\xbb\xbf|\xfe\xff|\xff\xfe)/;
/**
 * Whether there are control characters that no text holds ("binary data bytes"; the same standard, section
 * 3).
 */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte < 0x20 && byte !== 0x1b && (byte < 0x09 || byte === 0x0b || byte > 0x0d));
}

/** First bytes as Latin-1, with their offset where it is not 0. */
const SIGNATURES: readonly (readonly [start: string, type: string, offset?: number])[] = [
  ['%PDF-', 'application/pdf'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['WEBPVP', 'image/webp', 8],
  ['\0\0\x01\0', 'image/x-icon'],
  ['ftyp', 'video/mp4', 4],
  ['ID3', 'audio/mpeg'],
  ['wOFF', 'font/woff'],
  ['wOF2', 'font/woff2'],
  ['PK\x03\x04', 'application/zip'],
  ['\x1f\x8b\x08', 'application/x-gzip'],
];
