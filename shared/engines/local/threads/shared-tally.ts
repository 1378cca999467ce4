import type { Tally } from '../../../crawler/crawl-state/tally.ts';

/** For each block: pages made and reserved, pages made, bytes; and the committed parts of the last two. */
const [TAKEN, PAGES, BYTES, COMMITTED_PAGES, COMMITTED_BYTES, WIDTH] = [0, 1, 2, 3, 4, 5];

/** Memory for {@link createSharedTally}: as many blocks as threads. */
export const tallyMemory = (blocks: number): BigInt64Array =>
  new BigInt64Array(new SharedArrayBuffer(blocks * (WIDTH as number) * BigInt64Array.BYTES_PER_ELEMENT));

/** How long a thread waits for pages that others have reserved, before it looks whether they need them. */
const POLL_MS = 20;

/**
 * The tally of one thread of several, which count together: each writes to its own block of the memory, and
 * reads all. A page is taken before the sum is read, so that of two threads that take at once one sees both
 * at least; it gives its own back. So no more than `max` are ever reserved, and a thread that took too few
 * tries again.
 */
export function createSharedTally(memory: BigInt64Array, block: number): Tally {
  const add = (field: number, count: number) => Atomics.add(memory, block * WIDTH + field, BigInt(count));
  function sum(field: number): number {
    let all = 0n;
    for (let at = field; at < memory.length; at += WIDTH) all += Atomics.load(memory, at);
    return Number(all);
  }
  return {
    pollMs: POLL_MS,
    pages: () => sum(PAGES),
    bytes: () => sum(BYTES),
    committed: () => ({ pages: sum(COMMITTED_PAGES), bytes: sum(COMMITTED_BYTES) }),
    reserve(max) {
      add(TAKEN, 1);
      if (max === Infinity || sum(TAKEN) <= max) return true;
      add(TAKEN, -1);
      return false;
    },
    settle(isPage) {
      if (isPage) add(PAGES, 1);
      else add(TAKEN, -1);
    },
    receive(bytes) {
      add(BYTES, bytes);
    },
    giveBack(pages, bytes) {
      add(PAGES, -pages);
      add(TAKEN, -pages);
      add(BYTES, -bytes);
    },
    commit(pages, bytes) {
      add(COMMITTED_PAGES, pages);
      add(COMMITTED_BYTES, bytes);
    },
    // Only these threads work for the crawl: the shared memory is complete.
    reads: () => 0,
    isInDoubt: () => false,
    refresh: (read) => read(),
  };
}

/** For a block whose thread does not run: the sums of its hosts' heads, and no reservations. */
export function resetTally(
  memory: BigInt64Array,
  block: number,
  { pages, bytes }: { readonly pages: number; readonly bytes: number },
): void {
  const fields: readonly [number, number][] = [
    [TAKEN, pages],
    [PAGES, pages],
    [BYTES, bytes],
    [COMMITTED_PAGES, pages],
    [COMMITTED_BYTES, bytes],
  ];
  for (const [field, count] of fields) Atomics.store(memory, block * WIDTH + field, BigInt(count));
}
