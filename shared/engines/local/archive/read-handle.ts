import type { FileHandle } from 'node:fs/promises';
import type { ReadAt } from '../../../core/archive/scan-members.ts';

/** Reads a file as if it ended at `limit`. */
export function readHandle(handle: FileHandle, limit = Number.POSITIVE_INFINITY): ReadAt {
  return async (offset, length) => {
    const wanted = Math.max(0, Math.min(length, limit - offset));
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, offset);
    return buffer.subarray(0, bytesRead);
  };
}
