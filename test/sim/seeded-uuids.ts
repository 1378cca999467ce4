import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Random } from '../../shared/engines/sim/random.ts';

const { randomUUID } = crypto;

/**
 * Lets the seed decide the UUIDs of the whole process, too: they stand in WARC records, whose length after compression
 * depends on them, and so do offsets, sizes and all that follows. Gives what ends it.
 */
export function seedUuids(random: Random): () => void {
  crypto.randomUUID = () => {
    const hex = Array.from({ length: 8 }, () =>
      Math.floor(random() * 0x10000)
        .toString(16)
        .padStart(4, '0'),
    );
    const [a, b, c, d, e, ...rest] = hex;
    return `${a}${b}-${c}-4${d?.slice(1)}-8${e?.slice(1)}-${rest.join('')}`;
  };
  syncBuiltinESMExports();
  return () => {
    crypto.randomUUID = randomUUID;
    syncBuiltinESMExports();
  };
}
