/** The hosts that a worker may serve, by its memory: Lambda kills a function that needs more than it has. */

/** A function of more than this share of its memory takes on no hosts: those that it has may still grow. */
const FULL_SHARE = 0.8;
const MB = 2 ** 20;

export interface WorkerMemory {
  readonly memoryMb: number;
  /** Bytes that the process uses now, while it serves this number of hosts. */
  readonly usedBytes: (hosts: number) => number;
}

/**
 * Returns the hosts that the worker may serve now: `maxHosts`, or those that it has if its memory is nearly full, but
 * `minRoom` at least, so that it can go on when it has none.
 */
export function placesIn(
  { memoryMb, usedBytes }: WorkerMemory,
  { hosts, maxHosts, minRoom }: Readonly<Record<'hosts' | 'maxHosts' | 'minRoom', number>>,
): number {
  if (usedBytes(hosts) < FULL_SHARE * memoryMb * MB) return maxHosts;
  return Math.min(maxHosts, Math.max(hosts, minRoom));
}
