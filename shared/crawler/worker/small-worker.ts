/**
 * Decides when a pool needs no more than a small worker: one of the same code with less memory, which costs less while it
 * waits for few hosts. Pure.
 */

/** The small worker of a stack. */
export interface SmallWorker {
  readonly memoryMb: number;
  /** Hosts that it serves at once. */
  readonly maxHosts: number;
}

/** MB of memory that buy one whole CPU (Lambda developer guide, "Configure Lambda function memory"). */
const MB_PER_CPU = 1769;

/** The share of a CPU that a function of this memory has. A worker has one thread: a second CPU does not help it. */
export const cpuShareOf = (memoryMb: number): number => Math.min(1, memoryMb / MB_PER_CPU);

/**
 * A small worker serves this share of the hosts that its memory would be worth in a full-size one: without any host,
 * either takes some 155 MB (docs/aws.md, "While it crawls"), and a page of the largest size needs equal memory in both.
 */
const HOSTS_SHARE = 0.5;

/** Returns the small worker of a stack with these settings or options; undefined if it has none (0 MB, or not less). */
export function smallWorkerOf({
  smallWorkerMemoryMb: memoryMb,
  workerMemoryMb,
  hostsPerWorker,
}: {
  readonly smallWorkerMemoryMb?: number | undefined;
  readonly workerMemoryMb: number;
  readonly hostsPerWorker: number;
}): SmallWorker | undefined {
  if (!memoryMb || memoryMb >= workerMemoryMb) return undefined;
  return {
    memoryMb,
    maxHosts: Math.max(1, Math.floor((HOSTS_SHARE * hostsPerWorker * memoryMb) / workerMemoryMb)),
  };
}

/** The load of a worker must have been small, or too large, for so long. */
const WINDOW_MS = 60_000;
/** A small worker replaces another one if that serves no more than this share of the hosts that it may serve ... */
const FIT_HOSTS_SHARE = 0.7;
/** ... with this share of its CPU at most. */
const FIT_CPU_SHARE = 0.4;
/** A small worker that uses more than this share of its CPU is too slow: waits for the CPU look like slow hosts. */
const MAX_CPU_SHARE = 0.8;

/** Hosts that a small worker can serve if it replaces another one. */
export const fittingHosts = ({ maxHosts }: SmallWorker): number =>
  Math.max(1, Math.floor(FIT_HOSTS_SHARE * maxHosts));

/** The share of a CPU that a worker may use if a small one is to replace it. */
export const fittingCpuShare = ({ memoryMb }: SmallWorker): number => FIT_CPU_SHARE * cpuShareOf(memoryMb);

export interface Load {
  readonly at: number;
  readonly hosts: number;
  /** CPU time of the process since it began, in milliseconds of one whole CPU. */
  readonly cpuMs: number;
}

/** The load of a worker over the last minute. */
export class RecentLoad {
  /** The oldest is as old as the window, or the worker's first one. */
  #loads: readonly Load[] = [];

  note(load: Load): void {
    const later = this.#loads.findLastIndex(({ at }) => load.at - at >= WINDOW_MS);
    this.#loads = [...this.#loads.slice(Math.max(0, later)), load];
  }

  /** Whether a small worker could have done the same, so far. */
  couldBe(small: SmallWorker): boolean {
    const hosts = this.#loads.reduce((most, load) => Math.max(most, load.hosts), 0);
    return hosts <= fittingHosts(small) && this.#cpuShare() <= fittingCpuShare(small);
  }

  /** As above, for a whole minute. */
  fits(small: SmallWorker): boolean {
    return this.#isWhole && this.couldBe(small);
  }

  /** The share of a CPU that it used, once that is known for a whole minute. */
  get minuteCpuShare(): number | undefined {
    return this.#isWhole ? this.#cpuShare() : undefined;
  }

  /** Whether the worker, which is a small one, has used nearly all of its CPU for a whole minute. */
  exceeds(small: SmallWorker): boolean {
    return (this.minuteCpuShare ?? 0) > MAX_CPU_SHARE * cpuShareOf(small.memoryMb);
  }

  get #isWhole(): boolean {
    return this.#lengthMs >= WINDOW_MS;
  }

  get #lengthMs(): number {
    return (this.#loads.at(-1)?.at ?? 0) - (this.#loads[0]?.at ?? 0);
  }

  #cpuShare(): number {
    const usedMs = (this.#loads.at(-1)?.cpuMs ?? 0) - (this.#loads[0]?.cpuMs ?? 0);
    return this.#lengthMs > 0 ? usedMs / this.#lengthMs : 0;
  }
}
