import type { RecordLocation } from '../../../shared/core/archive/record-location.ts';
import type { Archive } from '../../../shared/crawler/ports/archive.ts';
import { joined } from '../../core/archive/captures.ts';

export interface MemoryArchive extends Archive {
  /** The bytes at a location, if they were flushed. */
  read(location: RecordLocation): Uint8Array;
  /** All that was flushed. */
  bytes(): Uint8Array;
}

/** One endless WARC file in memory. */
export function createMemoryArchive(): MemoryArchive {
  const pieces: Uint8Array[] = [];
  let size = 0;
  let durable = 0;
  return {
    async append(members) {
      const whole = await Promise.all(members.map(joined));
      return whole.map((bytes): RecordLocation => {
        pieces.push(bytes);
        size += bytes.length;
        return { file: 'memory.warc.gz', offset: size - bytes.length, length: bytes.length };
      });
    },
    async flush() {
      durable = size;
    },
    read({ offset, length }) {
      if (offset + length > durable) throw new Error(`not flushed beyond ${durable}`);
      return Buffer.concat(pieces).subarray(offset, offset + length);
    },
    bytes: () => Buffer.concat(pieces).subarray(0, durable),
  };
}
