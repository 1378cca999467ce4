/**
 * Undoes gzip with one engine and one output buffer for all bodies: `gunzipSync` makes both for each one, which takes a
 * quarter of its time for a page of 50 KB.
 */
import zlib from 'node:zlib';
import { lazy } from '../base/lazy.ts';
import { type ZlibEngine, zlibEngine } from '../base/zlib-engine.ts';
import { gzipHeadLength } from './gzip-head.ts';

const TAIL_BYTES = 8;
/** The output buffer. Larger contents are left to `gunzipSync`. */
const MAX_OUTPUT = 1024 * 1024;

interface Engine extends ZlibEngine {
  readonly output: Uint8Array;
  isBusy: boolean;
}

const engine = lazy((): Engine | undefined => {
  const inflate = zlibEngine(zlib.createInflateRaw());
  return inflate && { ...inflate, output: Buffer.allocUnsafeSlow(MAX_OUTPUT), isBusy: false };
});

/**
 * Calls `use` with the content, which the next call overwrites. Returns false, without a call, unless the body is
 * one sound member whose content is no larger than `maxOutputLength`; its checksum is not looked at.
 */
export function withGunzipped(
  body: Uint8Array,
  maxOutputLength: number,
  use: (content: Uint8Array) => void,
): boolean {
  const inflate = engine();
  const head = gzipHeadLength(body);
  if (inflate === undefined || inflate.isBusy || !head || body.length < head + TAIL_BYTES) return false;
  const size = sizeAtEnd(body);
  if (size >= Math.min(MAX_OUTPUT, maxOutputLength + 1)) return false;
  const { binding, left, output } = inflate;
  // After a fault it stays as it was.
  left.fill(0);
  binding.reset();
  binding.writeSync(zlib.constants.Z_FINISH, body, head, body.length - head, output, 0, MAX_OUTPUT);
  // The data ends where the tail begins.
  if (left[1] !== TAIL_BYTES || left[0] !== MAX_OUTPUT - size) return false;
  inflate.isBusy = true;
  try {
    use(output.subarray(0, size));
  } finally {
    inflate.isBusy = false;
  }
  return true;
}

/** The size of the content modulo 2^32 (RFC 1952, section 2.3.1). */
function sizeAtEnd(body: Uint8Array): number {
  const at = body.length - 4;
  return (body[at]! | (body[at + 1]! << 8) | (body[at + 2]! << 16) | (body[at + 3]! << 24)) >>> 0;
}
