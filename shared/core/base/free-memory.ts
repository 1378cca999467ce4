/**
 * Gives the memory of a buffer back at once, which nobody will read again: its maker's to decide, who has
 * given it to nobody that keeps it, and to no native code that is still at work.
 *
 * V8 frees a buffer when it finds that nobody holds it, and for each 64 MB of buffers it looks through all of
 * its heap: with some 70 KB of them a page, ten times in a crawl of ten seconds, which was a twentieth of all
 * its CPU time.
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
