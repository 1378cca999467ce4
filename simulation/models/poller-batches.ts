/** Gathers what a poller has received into batches for one invocation each. */
import type { SqsRecord } from '../../shared/engines/aws/queues/delivery.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface PollerBatchesOptions {
  readonly time: VirtualTime;
  readonly batchSize: number;
  /** How long the first message waits for others. 0: a batch is what one receive gave. */
  readonly windowMs: number;
  /** The largest payload of an event. */
  readonly maxBytes?: number | undefined;
  readonly begin: (messages: readonly SqsRecord[]) => void;
}

export interface PollerBatches {
  add(messages: readonly SqsRecord[]): void;
  /** How many more messages the open batch takes. */
  room(): number;
  /** Batches that gather: 0 or 1. */
  readonly open: number;
  /** Begins with what there is. */
  flush(): void;
}

/** An event's payload has 6 MB at most; what a message is besides its body is allowed for. */
export const MAX_EVENT_BYTES = 6_000_000;
const OVERHEAD_BYTES = 500;

export function createPollerBatches({
  time,
  batchSize,
  windowMs,
  maxBytes = MAX_EVENT_BYTES,
  begin,
}: PollerBatchesOptions): PollerBatches {
  let gathered: SqsRecord[] = [];
  let bytes = 0;
  let cancel: (() => void) | undefined;

  function flush(): void {
    cancel?.();
    cancel = undefined;
    const batch = gathered;
    gathered = [];
    bytes = 0;
    if (batch.length > 0) begin(batch);
  }

  return {
    room: () => batchSize - gathered.length,
    get open() {
      return gathered.length > 0 ? 1 : 0;
    },
    flush,
    add(messages) {
      for (const message of messages) {
        const size = message.body.length + OVERHEAD_BYTES;
        if (bytes + size > maxBytes) flush();
        gathered.push(message);
        bytes += size;
        if (gathered.length >= batchSize) flush();
      }
      if (windowMs <= 0) flush();
      else if (gathered.length > 0) cancel ??= time.at(time.now() + windowMs, flush);
    },
  };
}
