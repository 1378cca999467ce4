import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs';
import type { Clock } from '../../ports.ts';
import { isThrottleCode, RETRY_ATTEMPTS, retryWaitMs, withRetry } from './retry.ts';

/** Entries of one batch call (SQS developer guide, message quotas). */
export const MAX_BATCH_ENTRIES = 10;

/** What SQS answers to a batch call of any kind: it succeeds as a call while single entries fail. */
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

/**
 * Calls for up to {@link MAX_BATCH_ENTRIES} entries until each has succeeded: those that failed, or that the answer does
 * not name, are tried again, in the same order, after a wait with jitter. Throws when an entry is refused for what it
 * is, or when the attempts are used up: nothing is lost silently.
 */
export async function callBatch<E>(
  entries: readonly E[],
  call: (entries: (E & { Id: string })[]) => Promise<BatchResult>,
  { what, clock, isDone }: BatchOptions<E>,
): Promise<void> {
  let left = entries.map((entry, i) => ({ ...entry, Id: String(i) }));
  for (let attempt = 1; left.length > 0; attempt++) {
    const { Successful = [], Failed = [] } = await withRetry(what, () => call(left), { clock });
    const done = new Set(Successful.map(({ Id }) => Id));
    const errors = new Map(Failed.map((error) => [error.Id, error]));
    left = left.filter((entry) => {
      const error = errors.get(entry.Id);
      return error ? !isDone?.(error.Code, entry) : !done.has(entry.Id);
    });
    if (left.length === 0) return;
    const failed = left.flatMap(({ Id }) => errors.get(Id) ?? []);
    const refused = failed.find(({ SenderFault, Code }) => SenderFault && !isThrottleCode(Code));
    if (refused || attempt >= RETRY_ATTEMPTS) throw new BatchFailure(what, refused ?? failed[0], left.length);
    await clock.sleep(retryWaitMs(attempt, clock.random()));
  }
}

/** Thrown when entries of a batch call failed for good: the turn or the routing is to be done again. */
export class BatchFailure extends Error {
  override name = 'BatchFailure';

  constructor(what: string, entry: BatchResultErrorEntry | undefined, count: number) {
    const cause = entry ? `${entry.Code}: ${entry.Message ?? 'no message'}` : 'the answer does not name them';
    super(`${what}: ${count} of the entries failed; ${cause}`);
  }
}

/** What is to go into one batch with others. */
export interface Packable {
  /** What stays in order. */
  readonly group: string;
  readonly size: number;
}

/**
 * Packs items into batches of at most {@link MAX_BATCH_ENTRIES} and `maxSize` in sum, keeping a group together where it
 * fits: a batch of several groups counts as several calls against the quota of a high-throughput queue. Gives chains:
 * the batches of one chain share a group and go one after the other, chains may go side by side.
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

/** Runs `work` on all items, at most `lanes` at once. After an error no further item is begun; the first one is thrown. */
export async function inLanes<T>(
  items: readonly T[],
  lanes: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  let failure: { readonly error: unknown } | undefined;
  async function lane(): Promise<void> {
    for (const item of queue) {
      if (failure) return;
      await work(item).catch((error) => {
        failure ??= { error };
      });
    }
  }
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
  if (failure) throw failure.error;
}
