/** HTTP heads as they are in WARC records: as received, but true of the stored bytes. */
import type { ResponseHead } from '../outcome/response-head.ts';
import type { Packing } from './gzip-member.ts';

type Header = readonly [name: string, value: string];

/** The prefix of a header's name if the header described the transfer and not the stored bytes. */
const ORIGINAL = 'X-Archive-Orig-';

export interface StoredBody {
  /** Bytes kept: de-chunked, content coding kept. */
  readonly size: number;
  /** Whether the response has no body by its nature: to HEAD, or 1xx, 204, 304 (RFC 9112 section 6.3). */
  readonly isNone: boolean;
}

/**
 * Status line, headers in the order and case received, empty line; Latin-1. What would not be true of the
 * stored body is renamed: `Transfer-Encoding` always, since bodies are kept de-chunked, and a
 * `Content-Length` other than the stored length (of a cut body, say), the true one being added after it. For
 * a response without a body nothing is added: there, Content-Length is that of the response to a GET.
 */
export function storedResponseHead(head: ResponseHead, body: StoredBody): Uint8Array {
  let text = `HTTP/1.1 ${head.httpStatus} ${oneLine(head.statusText)}\r\n`;
  let isLengthGiven = false;
  for (const header of head.headers) {
    if (isUntrue(header, body.size)) {
      text += headerLine(ORIGINAL + header[0], header[1]);
      if (!isLengthGiven && !body.isNone && isNamed(header, 'content-length')) {
        text += headerLine('Content-Length', String(body.size));
        isLengthGiven = true;
      }
    } else {
      text += headerLine(header[0], header[1]);
    }
  }
  return Buffer.from(`${text}\r\n`, 'latin1');
}

/** The headers as they were received: what {@link storedResponseHead} renamed and added is undone. */
export function receivedHeaders(stored: readonly Header[]): readonly Header[] {
  const renamed = (lowerCaseName: string) =>
    stored.findIndex(([name]) => originalName(name)?.toLowerCase() === lowerCaseName);
  const lengthAt = renamed('content-length');
  if (lengthAt < 0 && renamed('transfer-encoding') < 0) return stored;
  const isAdded = (header: Header, i: number) => i === lengthAt + 1 && isNamed(header, 'content-length');
  return stored
    .filter((header, i) => lengthAt < 0 || !isAdded(header, i))
    .map((header) => {
      const name = originalName(header[0]);
      return name === undefined ? header : [name, header[1]];
    });
}

/** Returns the name as received, if {@link storedResponseHead} has renamed the header. */
function originalName(name: string): string | undefined {
  const original = name.startsWith(ORIGINAL) ? name.slice(ORIGINAL.length) : '';
  return /^(?:content-length|transfer-encoding)$/i.test(original) ? original : undefined;
}

function isUntrue(header: Header, size: number): boolean {
  if (isNamed(header, 'transfer-encoding')) return true;
  return isNamed(header, 'content-length') && header[1].trim() !== String(size);
}

function isNamed(header: Header, lowerCaseName: string): boolean {
  return header[0].length === lowerCaseName.length && header[0].toLowerCase() === lowerCaseName;
}

function headerLine(name: string, value: string): string {
  return `${oneLine(name).replaceAll(':', '_')}: ${oneLine(value)}\r\n`;
}

/** Above U+00FF there is no Latin-1 byte, and cutting the code to 8 bits could make a line end. */
function oneLine(text: string): string {
  // Nearly all are plain: a look is cheaper than two copies.
  return /^[ -~]*$/.test(text) ? text : text.replace(/[\r\n]+/g, ' ').replace(/[^\0-\xff]/g, '?');
}

/** Media types whose data is compressed by its own format. SVG and BMP are not. */
const COMPRESSED_MEDIA =
  /^\s*(?:image\/(?:jpeg|png|gif|webp|avif|heic|jxl)|video\/|audio\/(?!x-wav|wav)|font\/woff|application\/(?:zip|gzip|x-gzip|x-7z|x-xz|zstd|x-bzip|x-rar|vnd\.rar|java-archive|epub|font-woff|vnd\.openxml))/i;

/**
 * How a body with these headers is best packed. Only about effort: a server that lies costs bytes, no more.
 */
export function bodyPacking(headers: readonly Header[]): Packing {
  for (const header of headers) {
    if (isNamed(header, 'content-encoding') && !/^\s*(?:identity\s*)?$/i.test(header[1])) return 'store';
    if (isNamed(header, 'content-type') && COMPRESSED_MEDIA.test(header[1])) return 'store';
  }
  return 'deflate';
}
