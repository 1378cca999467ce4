import { hash } from 'node:crypto';
import type { Body } from './body.ts';

/** A body that is in memory already: the garbage collector frees it. The bytes must not change afterwards. */
export const memoryBody = (bytes: Uint8Array, sha1: Uint8Array = hash('sha1', bytes, 'buffer')): Body => ({
  size: bytes.length,
  sha1,
  bytes: async () => bytes,
  async *chunks() {
    if (bytes.length > 0) yield bytes;
  },
  dispose: async () => {},
});
