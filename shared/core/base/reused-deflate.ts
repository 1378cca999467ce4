/**
 * Compresses with one engine and one output buffer for all contents. `gzipSync` makes an engine of 270 KB for each: most of
 * its time for a few hundred bytes (24 us, and 4 with this), a fifth of it for 57 KB of HTML.
 */
import zlib from 'node:zlib';
import { lazy } from './lazy.ts';
import { type ZlibEngine, zlibEngine } from './zlib-engine.ts';

/** Larger contents, for which an engine is a small part of the time, are left to Node's functions. */
const MAX_CONTENT = 300 * 1024;
/** The output buffer: deflate adds less than a thousandth to what cannot be compressed. */
const MAX_OUTPUT = 320 * 1024;

/** All engines share it: a call is over before the next one begins. */
const output = lazy(() => Buffer.allocUnsafeSlow(MAX_OUTPUT));

/** Compresses the pieces, which are one content. */
export type ReusedDeflate = (pieces: readonly [Uint8Array, ...Uint8Array[]]) => Uint8Array;

/** `gzipSync` of that level. */
export function reusedGzip(level: number): ReusedDeflate {
  return reused(
    () => zlib.createGzip({ level }),
    (content) => zlib.gzipSync(content, { level }),
  );
}

/** `deflateRawSync` of that level. */
export function reusedDeflateRaw(level: number): ReusedDeflate {
  return reused(
    () => zlib.createDeflateRaw({ level }),
    (content) => zlib.deflateRawSync(content, { level }),
  );
}

function reused(open: () => object, atOnce: (content: Uint8Array) => Uint8Array): ReusedDeflate {
  const engine = lazy(() => zlibEngine(open()));
  return (pieces) => {
    const deflate = sizeOf(pieces) <= MAX_CONTENT ? engine() : undefined;
    const size = deflate && deflateInto(output(), deflate, pieces);
    return size === undefined ? atOnce(Buffer.concat(pieces)) : Buffer.from(output().subarray(0, size));
  };
}

function sizeOf(pieces: readonly Uint8Array[]): number {
  let size = 0;
  for (const piece of pieces) size += piece.length;
  return size;
}

/** Returns how many bytes of `to` are the compressed content; undefined after a fault. */
function deflateInto(
  to: Uint8Array,
  { binding, left }: ZlibEngine,
  pieces: readonly Uint8Array[],
): number | undefined {
  binding.reset();
  let at = 0;
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!;
    const flush = i === pieces.length - 1 ? zlib.constants.Z_FINISH : zlib.constants.Z_NO_FLUSH;
    // After a fault it stays so.
    left.fill(0);
    binding.writeSync(flush, piece, 0, piece.length, to, at, to.length - at);
    const [room = 0, unread] = left;
    if (room === 0 || unread !== 0) return undefined;
    at = to.length - room;
  }
  return at;
}
