import zlib from 'node:zlib';
import { leastOwnBytes } from '../base/free-memory.ts';
import { type Coding, hasCoding, membersOf } from './content-codings.ts';

/**
 * Decodes a body that is whole and sound, by one synchronous call. Undefined if it is not, or may not be, or if it
 * gives more than `maxOutputLength`.
 */
export function decodeAtOnce(coding: Coding, body: Uint8Array, maxOutputLength: number): Buffer | undefined {
  try {
    const decoded = decode(coding, body, maxOutputLength);
    return decoded === undefined || isChance(coding, body, decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

function decode(coding: Coding, body: Uint8Array, maxOutputLength: number): Buffer | undefined {
  if (coding === 'gzip') return zlib.gunzipSync(body, { maxOutputLength, chunkSize: gzipChunkSize(body) });
  const members = membersOf(coding, body);
  if (members.tailLength > 0) return zlib.inflateSync(body, { maxOutputLength });
  if (!members.areSeveral) return members.decodeSync(body, { maxOutputLength });
  const { buffer, engine } = decodedMember(members.decodeSync(body, { maxOutputLength, info: true }));
  // Node decodes the first frame of zstd alone.
  return engine.bytesWritten === body.length ? buffer : undefined;
}

/** The result of Node's functions with the option `info`, which their types lack. */
export const decodedMember = (decoded: unknown) =>
  decoded as { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };

/**
 * Allocates the whole content at once; a gzip body ends with its size (modulo 2^32): half the time of growing
 * buffers. In a buffer of its own, which can be freed.
 */
function gzipChunkSize(body: Uint8Array): number {
  const { buffer, byteOffset, length } = body;
  const size = length < 18 ? 0 : new DataView(buffer, byteOffset, length).getUint32(length - 4, true);
  return Math.max(leastOwnBytes(), Math.min(size + 1, 32 * length, 1024 * 1024));
}

/**
 * A text may begin like a whole, empty stream: `?` is one in `br`, which has no signature and ignores what
 * follows.
 */
function isChance(coding: Coding, body: Uint8Array, decoded: Uint8Array): boolean {
  return decoded.length < body.length && body.length > 16 && !hasCoding(coding, body);
}
