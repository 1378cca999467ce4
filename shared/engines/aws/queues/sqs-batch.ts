import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { isThrottleCode, RETRY_ATTEMPTS, retryWaitMs, withRetry } from '../retry.ts';

/** Entries of one batch call (SQS developer guide, message quotas). */
export const MAX_BATCH_ENTRIES = 10;

/** The answer of SQS to a batch call of any kind: it succeeds as a call while single entries fail. */
export interface BatchResult {
  readonly Successful?: readonly { readonly Id: string | undefined }[];
  readonly Failed?: readonly BatchResultErrorEntry[];
}

export interface BatchOptions<E> {
  /** Names the call in errors. */
  readonly what: string;
  readonly clock: Pick<Clock, 'sleep' | 'random'>;
  /** Whether an entry that failed with this code is as good as done. */
  readonly isDone?: (code: string | undefined, entry: E) => boolean;
}

/** The error of an entry that failed in all attempts; undefined if the entry succeeded. */
export type EntryResult = Error | undefined;

/**
 * Calls for up to {@link MAX_BATCH_ENTRIES} entries until the result of each is known: those that failed, or
 * that the answer does not name, are tried again, in the same order, after a wait with jitter, until the
 * attempts are used up; those refused for what they are fail at once. Never rejects: nothing is lost
 * silently, and no entry's failure is another's.
 */
export async function settleBatch<E>(
  entries: readonly E[],
  call: (entries: (E & { Id: string })[]) => Promise<BatchResult>,
  { what, clock, isDone }: BatchOptions<E>,
): Promise<EntryResult[]> {
  const results = entries.map((): EntryResult => undefined);
  let left = entries.map((entry, i) => ({ ...entry, Id: String(i) }));
  for (let attempt = 1; left.length > 0; attempt++) {
    if (attempt > 1) await clock.sleep(retryWaitMs(attempt - 1, clock.random()));
    let result: BatchResult;
    try {
      result = await withRetry(what, () => call(left), { clock });
    } catch (error) {
      for (const { Id } of left) results[Number(Id)] = error as Error;
      return results;
    }
    const done = new Set(result.Successful?.map(({ Id }) => Id));
    const errors = new Map(result.Failed?.map((error) => [error.Id, error]));
    left = left.filter((entry) => {
      const error = errors.get(entry.Id);
      if (error ? isDone?.(error.Code, entry) : done.has(entry.Id)) return false;
      const isRefused = error?.SenderFault && !isThrottleCode(error.Code);
      if (!isRefused && attempt < RETRY_ATTEMPTS) return true;
      results[Number(entry.Id)] = new BatchFailure(what, error);
      return false;
    });
  }
  return results;
}

/** An entry of a batch call failed in all attempts. The turn or the routing must be repeated. */
class BatchFailure extends Error {
  override name = 'BatchFailure';

  constructor(what: string, entry: BatchResultErrorEntry | undefined) {
    const cause = entry ? `${entry.Code}: ${entry.Message ?? 'no message'}` : 'the answer does not name it';
    super(`${what}: an entry failed; ${cause}`);
  }
}

/** An item for a batch. */
export interface Packable {
  /** The group of the item: items of one group stay in order. */
  readonly group: unknown;
  readonly size: number;
}

/**
 * Packs items into batches of at most {@link MAX_BATCH_ENTRIES} and `maxSize` in sum, keeping a group
 * together where it fits: a batch of several groups counts as several calls against the quota of a
 * high-throughput queue. Returns chains: the batches of one chain share a group and go one after the other,
 * chains may go side by side.
 */
export function packBatches<T extends Packable>(items: readonly T[], maxSize: number): T[][][] {
  const chains: T[][][] = [];
  let batch: T[] = [];
  let size = 0;
  const hasRoom = (count: number, bytes: number) =>
    batch.length + count <= MAX_BATCH_ENTRIES && size + bytes <= maxSize;

  for (const group of Map.groupBy(items, (item) => item.group).values()) {
    const bytes = group.reduce((sum, item) => sum + item.size, 0);
    if (chains.length === 0 || !hasRoom(group.length, bytes)) {
      chains.push([]);
      batch = [];
      size = 0;
    }
    for (const item of group) {
      if (batch.length === 0 || !hasRoom(1, item.size)) {
        batch = [];
        size = 0;
        chains.at(-1)?.push(batch);
      }
      batch.push(item);
      size += item.size;
    }
  }
  return chains;
}
