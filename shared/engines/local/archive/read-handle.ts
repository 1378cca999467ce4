import { type FileHandle, open } from 'node:fs/promises';
import type { ReadAt } from '../../../core/archive/scan-members.ts';

/** Reads a file as if it ended at `limit`. */
export function readHandle(handle: FileHandle, limit = Number.POSITIVE_INFINITY): ReadAt {
  return async (offset, length) => {
    const wanted = Math.max(0, Math.min(length, limit - offset));
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, offset);
    return buffer.subarray(0, bytesRead);
  };
}

/** Reads a file that is open only while some of it is read. */
export const readPath =
  (path: string, limit?: number): ReadAt =>
  async (offset, length) => {
    const handle = await open(path, 'r');
    try {
      return await readHandle(handle, limit)(offset, length);
    } finally {
      await handle.close();
    }
  };
