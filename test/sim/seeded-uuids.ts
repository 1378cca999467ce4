import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Random } from '../../shared/engines/sim/random.ts';

const { randomUUID } = crypto;

/** Of 16 bits each: four digits. */
const HEX = Array.from({ length: 0x10000 }, (_, bits) => bits.toString(16).padStart(4, '0'));

/**
 * Lets the seed decide the UUIDs of the whole process, too: they stand in WARC records, whose length after compression
 * depends on them, and so do offsets, sizes and all that follows. Gives what ends it.
 */
export function seedUuids(random: Random): () => void {
  const group = () => HEX[Math.floor(random() * 0x10000)] as string;
  crypto.randomUUID = () => {
    const [a, b, c, d, e, f, g, h] = [group(), group(), group(), group(), group(), group(), group(), group()];
    return `${a}${b}-${c}-4${d.slice(1)}-8${e.slice(1)}-${f}${g}${h}`;
  };
  syncBuiltinESMExports();
  return () => {
    crypto.randomUUID = randomUUID;
    syncBuiltinESMExports();
  };
}
