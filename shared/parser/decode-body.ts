/**
 * A whole body with its Content-Encoding (RFC 9110, section 8.4) undone, at once and not before somebody
 * looks at it.
 */
import zlib from 'node:zlib';
import { CODINGS, type Coding } from './coding-decoder.ts';

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush, ZSTD_d_windowLogMax } = zlib.constants;
const MAX_CODINGS = 3;

/**
 * Decodes a body; of one that was cut, the part that is there. Throws if that is nothing: it is broken in its
 * middle, in a coding that is not known, or more than `maxBytes`. A body that declares a coding and is text
 * is that text.
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
  if (declared.length > MAX_CODINGS) throw unknownCoding(contentEncoding);
  let decoded = body;
  for (const name of declared.reverse()) {
    const coding = CODINGS.get(name);
    if (coding === undefined) throw unknownCoding(contentEncoding);
    decoded = undo(coding, decoded, maxBytes);
  }
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
      return zlib.gunzipSync(body, { maxOutputLength, finishFlush: Z_SYNC_FLUSH });
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
