/**
 * A whole body with its Content-Encoding (RFC 9110, section 8.4) undone, at once and not before somebody
 * looks at it.
 */
import zlib from 'node:zlib';
import { CODINGS, type Coding } from './coding-decoder.ts';
import { gzipHeadLength } from './gzip-head.ts';
import { isBinary } from './media-type.ts';

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush, ZSTD_d_windowLogMax } = zlib.constants;
const MAX_CODINGS = 3;
/** In which a body that is no text has bytes of none. */
const TEXT_BYTES = 512;

/**
 * Decodes a body; of one that was cut, the part that is there. Throws if that is nothing: it is broken in its
 * middle, in a coding that is not known, or more than `maxBytes`. A body that declares a coding and is text
 * is that text, also if no such coding exists: servers send `Content-Encoding: utf-8`, and browsers show such pages.
 */
export function decodeBody(
  body: Uint8Array,
  contentEncoding: string | undefined,
  maxBytes: number,
): Uint8Array {
  const declared = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const codings = declared.map((name) => CODINGS.get(name)).filter((coding) => coding !== undefined);
  const isKnown = codings.length === declared.length && codings.length <= MAX_CODINGS;
  if (!isKnown && isBinary(body.subarray(0, TEXT_BYTES))) throw unknownCoding(contentEncoding);
  let decoded = body;
  if (isKnown) for (const coding of codings.reverse()) decoded = undo(coding, decoded, maxBytes);
  if (decoded.length > maxBytes) throw tooLarge(maxBytes);
  return decoded;
}

function undo(coding: Coding, body: Uint8Array, maxOutputLength: number): Uint8Array {
  if (body.length === 0) return body;
  try {
    return decode(coding, body, maxOutputLength);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxOutputLength);
    if (!looksCoded(coding, body)) return body;
    throw new Error(`The body cannot be decoded: ${coding}: ${message}`, { cause: error });
  }
}

/** The flushes ask for the available part of a body without its end. */
function decode(coding: Coding, body: Uint8Array, maxOutputLength: number): Uint8Array {
  switch (coding) {
    case 'gzip':
      return decodeGzip(body, maxOutputLength);
    case 'deflate':
      return zlib[isZlib(body) ? 'inflateSync' : 'inflateRawSync'](body, {
        maxOutputLength,
        finishFlush: Z_SYNC_FLUSH,
      });
    case 'br':
      return zlib.brotliDecompressSync(body, { maxOutputLength, finishFlush: BROTLI_OPERATION_FLUSH });
    case 'zstd':
      return zlib.zstdDecompressSync(body, {
        maxOutputLength,
        finishFlush: ZSTD_e_flush,
        // RFC 9659: a window of at most 8 MiB.
        params: { [ZSTD_d_windowLogMax]: 23 },
      });
  }
}

/** As browsers do, without what follows that is no gzip: the output of a script behind its compressed page. */
function decodeGzip(body: Uint8Array, maxOutputLength: number): Uint8Array {
  const options = { maxOutputLength, finishFlush: Z_SYNC_FLUSH };
  try {
    return zlib.gunzipSync(body, options);
  } catch (error) {
    const start = gzipHeadLength(body);
    if (!start || (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw error;
    // The types of Node lack what `info` returns.
    const inflated: unknown = zlib.inflateRawSync(body.subarray(start), { ...options, info: true });
    const { buffer, engine } = inflated as { readonly buffer: Buffer; readonly engine: zlib.InflateRaw };
    const endAt = start + engine.bytesWritten;
    const sum = Buffer.from(body.subarray(endAt, endAt + 4));
    // Otherwise the body is damaged, and what was decoded is not what the server had.
    if (sum.length < 4 || sum.readUInt32LE() !== zlib.crc32(buffer)) throw error;
    return buffer;
  }
}

/** By its first bytes, or because no text begins so. */
function looksCoded(coding: Coding, body: Uint8Array): boolean {
  if (coding === 'gzip') return body[0] === 0x1f && body[1] === 0x8b;
  if (coding === 'zstd') return body[0] === 0x28 && body[1] === 0xb5;
  return !/^[\s\x20-\x7e]*$/.test(Buffer.from(body.subarray(0, 64)).toString('latin1'));
}

/** RFC 1950, section 2.2: the method is 8, and the header a multiple of 31. */
function isZlib([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0;
}

const tooLarge = (maxBytes: number) => new Error(`The body has more than ${maxBytes} bytes when decoded`);
const unknownCoding = (given: string | undefined) =>
  new Error(`The body cannot be decoded: Content-Encoding: ${given?.slice(0, 100)}`);
