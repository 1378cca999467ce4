import type { ReadAt } from './scan-members.ts';

const WINDOW_BYTES = 2 * 1024 * 1024;

/**
 * Reads ahead: makes fewer, larger reads, and serves a request from the last window if it lies in it. For reading from
 * front to back: a scan of members of 2 kB reads 256 KB at a time, and a large member is read 64 KB at a time. Small reads
 * elsewhere pass through.
 */
export function windowedRead(read: ReadAt, windowBytes = WINDOW_BYTES): ReadAt {
  let start = 0;
  let window: Uint8Array = new Uint8Array(0);
  let isAtEnd = false;
  /** Where the read before ended. */
  let next: number | undefined;
  return async (offset, length) => {
    const end = offset + length;
    const isInside =
      offset >= start && (end <= start + window.length || (isAtEnd && offset <= start + window.length));
    const isNext = offset === next;
    next = end;
    if (!isInside && !isNext && length < windowBytes / 8) return read(offset, length);
    if (!isInside) {
      const wanted = Math.max(length, windowBytes);
      window = await read(offset, wanted);
      start = offset;
      isAtEnd = window.length < wanted;
    }
    return window.subarray(offset - start, end - start);
  };
}
