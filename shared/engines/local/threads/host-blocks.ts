import { fingerprint } from '../../../core/url/fingerprint.ts';
import type { HostKey } from '../../../core/url/host-key.ts';

/**
 * The number of the thread that serves the host, from 0 on: the same each time, in all threads that share the
 * memory.
 */
export type BlockOf = (host: HostKey) => number;

/** The number of hosts that are assigned evenly. For more hosts a hash is even enough. A power of two. */
const PLACES = 2 ** 16;
/** Places that a host may take, one after the other. */
const PROBES = 16;
const BLOCK_BITS = 8;
const MAX_BLOCKS = 2 ** BLOCK_BITS;

/** Returns the memory that all threads share: the number of hosts of each block, then the hosts. */
export const hostBlocksMemory = (places = PLACES): Int32Array =>
  new Int32Array(new SharedArrayBuffer((MAX_BLOCKS + places) * Int32Array.BYTES_PER_ELEMENT));

/**
 * A host belongs to the block that had the fewest when the host was first requested: of fifty hosts, a hash
 * would give one of two threads some 28. The first thread that asks writes the host's place, once, and it is
 * never emptied; for a host without a place the hash decides. Two hosts may be taken for one: they have the
 * same block.
 */
export function createBlockOf(memory: Int32Array, blocks: number): BlockOf {
  const mask = memory.length - MAX_BLOCKS - 1;
  const halves = new Uint32Array(2);

  function fewest(): number {
    let found = 0;
    for (let block = 1; block < blocks; block++)
      if (Atomics.load(memory, block) < Atomics.load(memory, found)) found = block;
    return found;
  }

  return (host) => {
    fingerprint(host, halves, 0);
    const [low, high] = halves as unknown as [number, number];
    // Never 0, which is an empty place.
    const name = (high | (1 << BLOCK_BITS)) & ~(MAX_BLOCKS - 1);
    for (let probe = 0; probe < PROBES; probe++) {
      const at = MAX_BLOCKS + ((low + probe) & mask);
      let place = Atomics.load(memory, at);
      if (place === 0) {
        const block = fewest();
        place = Atomics.compareExchange(memory, at, 0, name | block);
        if (place === 0) {
          Atomics.add(memory, block, 1);
          return block;
        }
      }
      if ((place & ~(MAX_BLOCKS - 1)) === name) return place & (MAX_BLOCKS - 1);
    }
    return low % blocks;
  };
}
