/**
 * Undoes gzip with one engine and one output buffer for all bodies: `gunzipSync` makes both for each one, which takes a
 * quarter of its time for a page of 50 KB.
 */
import zlib from 'node:zlib';
import { lazy } from '../base/lazy.ts';
import { gzipHeadLength } from './gzip-head.ts';

const TAIL_BYTES = 8;
/** The output buffer. Larger contents are left to `gunzipSync`. */
const MAX_OUTPUT = 1024 * 1024;

/** The part of Node's zlib binding that its streams use, too. */
interface Binding {
  onerror: () => void;
  reset(): void;
  writeSync(
    flush: number,
    input: Uint8Array,
    inputAt: number,
    inputLength: number,
    output: Uint8Array,
    outputAt: number,
    outputLength: number,
  ): void;
}

interface Engine {
  readonly binding: Binding;
  /** After a call: the bytes left of the output and of the input. */
  readonly left: Uint32Array;
  readonly output: Uint8Array;
  isBusy: boolean;
}

const engine = lazy((): Engine | undefined => {
  const stream = zlib.createInflateRaw() as unknown as { _handle?: Binding; _writeState?: Uint32Array };
  const { _handle: binding, _writeState: left } = stream;
  if (typeof binding?.writeSync !== 'function' || !(left instanceof Uint32Array)) return undefined;
  // By itself it would end the stream.
  binding.onerror = () => {};
  return { binding, left, output: Buffer.allocUnsafeSlow(MAX_OUTPUT), isBusy: false };
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
