/** Passes on at most `maxBytes` bytes, and reports when there were more. */
export interface BoundedOutput {
  write(chunk: Uint8Array): void;
  /** Bytes passed on. */
  bytes(): number;
  /** Bytes that may still come. */
  room(): number;
  /** Some bytes were dropped. */
  isFull(): boolean;
}

export function createBoundedOutput(maxBytes: number, onData: (chunk: Uint8Array) => void): BoundedOutput {
  let bytes = 0;
  let isFull = false;
  return {
    write(chunk) {
      const room = maxBytes - bytes;
      if (chunk.length > room) isFull = true;
      const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
      if (kept.length === 0) return;
      bytes += kept.length;
      onData(kept);
    },
    bytes: () => bytes,
    room: () => maxBytes - bytes,
    isFull: () => isFull,
  };
}
