import type { Archive, RecordLocation } from '../../shared/ports.ts';

export interface MemoryArchive extends Archive {
  /** The bytes at a location, if they were flushed. */
  read(location: RecordLocation): Uint8Array;
}

/** One endless WARC file in memory. */
export function createMemoryArchive(): MemoryArchive {
  const pieces: Uint8Array[] = [];
  let size = 0;
  let durable = 0;
  return {
    async append(members) {
      const locations: RecordLocation[] = [];
      for (const member of members) {
        const offset = size;
        for await (const piece of member) {
          pieces.push(Uint8Array.from(piece));
          size += piece.length;
        }
        locations.push({ file: 'memory.warc.gz', offset, length: size - offset });
      }
      return locations;
    },
    async flush() {
      durable = size;
    },
    read({ offset, length }) {
      if (offset + length > durable) throw new Error(`not flushed beyond ${durable}`);
      return Buffer.concat(pieces).subarray(offset, offset + length);
    },
  };
}
