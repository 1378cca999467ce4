import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { type EntryResult, MAX_BATCH_ENTRIES, type Packable, packBatches } from './sqs-batch.ts';

export interface GatherOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  /**
   * How long items wait for others to share a batch with, unless it is full before. 0: those of one call
   * only.
   */
  readonly gatherMs: number;
  /** The largest size of a batch. */
  readonly maxBytes?: number;
}

/** The items of one caller. */
interface Call {
  /** Items whose result is not known yet. */
  left: number;
  failure: EntryResult;
  /** Runs work as the caller would, so that the meter knows whom a batch is for. */
  readonly inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
  readonly settled: PromiseWithResolvers<void>;
}

interface Job<T> extends Packable {
  readonly item: T;
  readonly call: Call;
}

/** Chains of batches in progress at once. */
const LANES = 8;

/**
 * Gathers the items of concurrent callers into few batches, which `settle` carries out. A call resolves when
 * all its own items have succeeded, and rejects, when all are settled, with the first failure among them;
 * other callers' failures are not its own. What a group is given goes in the order given, and never in two
 * batches at a time; a call of which an item failed sends none of its later batches. A batch is paid for by
 * the caller of its first item.
 */
export function gatherer<T>(
  { clock, gatherMs, maxBytes = Number.POSITIVE_INFINITY }: GatherOptions,
  packableOf: (item: T) => Packable,
  settle: (batch: readonly T[]) => Promise<readonly EntryResult[]>,
): (items: readonly T[]) => Promise<void> {
  /** Not in any chain: for too few to fill a batch, or because their group is locked. */
  let waiting: Job<T>[] = [];
  let chains: Job<T>[][][] = [];
  /** Groups of all chains that are not done. */
  const locked = new Set<unknown>();
  let lanes = 0;
  let isTiming = false;

  /** Batches that are not full are left waiting, unless their time has come. */
  function pack(isDue: boolean): void {
    const free = waiting.filter(({ group }) => !locked.has(group));
    const packed = packBatches(free, maxBytes);
    if (!isDue && (packed.at(-1)?.at(-1)?.length ?? 0) < MAX_BATCH_ENTRIES) packed.pop();
    const taken = new Set(packed.flat(2));
    waiting = waiting.filter((job) => !taken.has(job));
    for (const { group } of taken) locked.add(group);
    chains = chains.concat(packed);
    for (; lanes < LANES && chains.length > 0; lanes++) void runChain(chains.shift() as Job<T>[][]);
  }

  async function runChain(chain: Job<T>[][]): Promise<void> {
    for (const batch of chain) await run(batch);
    for (const { group } of chain.flat()) locked.delete(group);
    lanes--;
    // Items that waited only for these groups have waited long enough.
    pack(!isTiming);
  }

  async function run(batch: readonly Job<T>[]): Promise<void> {
    const live = batch.filter(({ call }) => !call.failure);
    const results = new Map<Job<T>, EntryResult>();
    try {
      const settled = await live[0]?.call.inContext(() => settle(live.map(({ item }) => item)));
      live.forEach((job, i) => {
        results.set(job, settled?.[i]);
      });
    } catch (error) {
      for (const job of live) results.set(job, error as Error);
    }
    for (const job of batch) {
      const { call } = job;
      call.failure ??= results.get(job);
      if (--call.left > 0) continue;
      if (call.failure) call.settled.reject(call.failure);
      else call.settled.resolve();
    }
  }

  async function time(): Promise<void> {
    isTiming = true;
    await clock.sleep(gatherMs);
    isTiming = false;
    pack(true);
  }

  return async (items) => {
    if (items.length === 0) return;
    const call: Call = {
      left: items.length,
      failure: undefined,
      inContext: AsyncLocalStorage.snapshot(),
      settled: Promise.withResolvers(),
    };
    waiting.push(...items.map((item) => ({ ...packableOf(item), item, call })));
    pack(gatherMs <= 0);
    if (waiting.length > 0 && gatherMs > 0 && !isTiming) void time();
    await call.settled.promise;
  };
}
