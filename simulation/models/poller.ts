/**
 * A model of Lambda's event source mapping for SQS (developer guide, "Using Lambda with Amazon SQS"): it
 * receives, invokes, sometimes twice, and deletes what was not reported as failed. It changes no visibility
 * and reports no message's outcome.
 */
import type { SqsRecord } from '../../shared/engines/aws/queues/delivery.ts';
import type { Faults } from './faults.ts';
import type { Invoked } from './lambda.ts';
import { createPollerBatches } from './poller-batches.ts';
import { failedIds, type SqsEvent, sqsEvent } from './poller-event.ts';
import { createPollerScale } from './poller-scale.ts';
import type { Random } from './random.ts';
import type { SimSqs } from './sqs.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface SimPollerOptions {
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly random: Random;
  readonly trace?: Trace;
  readonly sqs: Pick<SimSqs, 'receive' | 'delete' | 'onArrival'>;
  readonly queueUrl: string;
  readonly isFifo: boolean;
  readonly batchSize: number;
  /** How long a batch that is not full waits for more. Standard queues only. */
  readonly windowMs?: number;
  /** The largest payload of an event. Default: Lambda's 6 MB. */
  readonly maxEventBytes?: number | undefined;
  /** Invocations of this queue at once: from 2 to 1,000. */
  readonly maxConcurrency: number;
  /** The queue's: throttled invocations are tried again so long. */
  readonly visibilityMs: number;
  readonly invoke: (event: SqsEvent) => Promise<Invoked<unknown>>;
}

export interface SimPoller {
  /** Receives no more; what was received is seen to its end. */
  stop(): void;
  /** Invocations in progress. */
  readonly running: number;
  readonly counts: Readonly<PollerCounts>;
}

export interface PollerCounts {
  /** Receives that brought something, and those that would have been waiting for nothing. */
  receives: number;
  idlePolls: number;
  messages: number;
  batches: number;
  deletes: number;
}

/** A message that comes is met by a poll that waits: within so long. */
const MAX_ANSWER_MS = 40;
const LONG_POLL_MS = 20_000;
const IDLE_POLLERS = 5;
const MAX_RETRY_MS = 5000;
/** A second invocation with the same batch begins up to this later, mostly at once. */
const MAX_TWIN_MS = 120_000;
const MAX_BATCH_ENTRIES = 10;

export function createSimPoller(options: SimPollerOptions): SimPoller {
  const { time, faults, random, trace, sqs, queueUrl, isFifo, maxConcurrency, visibilityMs, invoke } =
    options;
  const windowMs = options.windowMs ?? 0;
  if (isFifo && (options.batchSize > MAX_BATCH_ENTRIES || windowMs > 0))
    throw new RangeError('Expected batches of a FIFO queue of at most 10 messages, and no window');
  const scale = createPollerScale({ now: time.now, isFifo, max: maxConcurrency });
  const counts: PollerCounts = { receives: 0, idlePolls: 0, messages: 0, batches: 0, deletes: 0 };
  let idleSince: number | undefined = time.now();
  let running = 0;
  let isStopped = false;
  let isPumping = false;

  const batches = createPollerBatches({
    time,
    batchSize: options.batchSize,
    windowMs,
    maxBytes: options.maxEventBytes,
    begin: (messages) => void serve(messages),
  });

  /** Looks soon: never from within the call that brought the message. */
  function pumpIn(ms: number): void {
    if (isPumping || isStopped) return;
    isPumping = true;
    time.at(time.now() + ms, () => {
      isPumping = false;
      if (!isStopped) pump();
    });
  }

  /** Receives while there are messages, and room for their invocations. */
  function pump(): void {
    while (batches.open > 0 || running < scale.limit()) {
      const messages = sqs.receive(queueUrl, Math.min(MAX_BATCH_ENTRIES, batches.room()));
      if (messages.length === 0) {
        idleSince ??= time.now();
        return;
      }
      noteBusy();
      counts.receives++;
      if (faults.strikes('receivedUnseen')) {
        trace?.({ what: `${messages.length} messages are received and never seen` });
        continue;
      }
      counts.messages += messages.length;
      batches.add(messages);
    }
    const waitMs = scale.growsInMs();
    if (waitMs !== undefined) pumpIn(waitMs);
  }

  function noteBusy(): void {
    if (idleSince === undefined) return;
    counts.idlePolls += pollsSince(idleSince);
    if (running === 0) scale.noteIdle(time.now() - idleSince);
    idleSince = undefined;
  }

  const pollsSince = (since: number) => Math.floor(((time.now() - since) * IDLE_POLLERS) / LONG_POLL_MS);

  async function serve(messages: readonly SqsRecord[]): Promise<void> {
    running++;
    counts.batches++;
    const visibleAt = time.now() + visibilityMs;
    try {
      const event = sqsEvent(queueUrl, messages);
      for (let tries = 0; ; tries++) {
        const invoked = await invokeAtLeastOnce(event);
        if (invoked.status === 'throttled') {
          scale.noteTrouble();
          const ms = Math.min(MAX_RETRY_MS, 500 * 2 ** tries) * (0.5 + random() / 2);
          // They come back by themselves.
          if (time.now() + ms >= visibleAt) return;
          await time.sleep(ms);
          continue;
        }
        if (invoked.status === 'failed') scale.noteTrouble();
        else await settle(messages, invoked.result);
        return;
      }
    } finally {
      running--;
      pumpIn(1);
    }
  }

  /**
   * "Event source mappings process each event at least once": the poller knows the answer of one of two
   * invocations.
   */
  function invokeAtLeastOnce(event: SqsEvent): Promise<Invoked<unknown>> {
    const first = invoke(event);
    if (!faults.strikes('invokedTwice')) return first;
    const delayMs = faults.random('invokedTwice') ** 3 * MAX_TWIN_MS;
    trace?.({
      what: `${event.Records.length} messages of ${queueUrl.split('/').at(-1)} are handed out twice`,
    });
    const second = time.sleep(delayMs).then(() => invoke(event));
    return faults.random('invokedTwice') < 0.5 ? first : second;
  }

  /** Deletes what was not reported. */
  async function settle(messages: readonly SqsRecord[], result: unknown): Promise<void> {
    const failed = failedIds(result, messages);
    if (failed === 'all') return;
    const handles = messages
      .filter(({ messageId }) => !failed.has(messageId))
      .map(({ receiptHandle }) => receiptHandle);
    for (let from = 0; from < handles.length; from += MAX_BATCH_ENTRIES) {
      await time.sleep(2 + random() * 10);
      // At least once: what was done may come again.
      if (faults.strikes('callFailsBefore')) continue;
      counts.deletes++;
      sqs.delete(queueUrl, handles.slice(from, from + MAX_BATCH_ENTRIES));
    }
  }

  const endListening = sqs.onArrival(queueUrl, () => pumpIn(1 + random() * MAX_ANSWER_MS));
  pumpIn(1);
  return {
    stop() {
      isStopped = true;
      endListening();
      batches.flush();
    },
    get running() {
      return running;
    },
    get counts() {
      return {
        ...counts,
        idlePolls: counts.idlePolls + (idleSince === undefined ? 0 : pollsSince(idleSince)),
      };
    },
  };
}
