/**
 * Frees the memory of a buffer at once. Only for the owner of a buffer that nobody else keeps, and that no native code
 * still uses.
 *
 * V8 frees a buffer when a collection finds it unreachable, and starts a major GC for each 64 MB of buffers: with some
 * 70 KB of them a page, ten times in a crawl of ten seconds, which was a twentieth of all its CPU time.
 *
 * Leaves alone what is small, and what may be a part of Node's pool, which others share.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  const mayBePooled = buffer.byteLength === Buffer.poolSize && byteLength < buffer.byteLength;
  if (buffer.byteLength < LEAST_BYTES || mayBePooled || !(buffer instanceof ArrayBuffer)) return;
  buffer.transfer(0);
}

/**
 * A buffer of this size and more is never a part of Node's pool (`Buffer.allocUnsafe` in Node's
 * documentation).
 */
export const leastOwnBytes = (): number => Math.max(LEAST_BYTES, Buffer.poolSize >>> 1);

const LEAST_BYTES = 8192;
