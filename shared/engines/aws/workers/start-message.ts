/** The message that starts a worker. */
import type { PackedHost } from '../../../crawler/ports/turn-queue.ts';

export interface StartMessage {
  /** The turn queue that the worker receives from. */
  readonly queue: number;
  /** The worker ends at once if the queue has this number of workers already. */
  readonly workers: number;
  /** A small worker is enough. Who cannot start one starts one of full size. */
  readonly isSmall?: boolean | undefined;
  /** The item of the pool that stands for the worker until it shows itself. */
  readonly inPlaceOf?: string | undefined;
  /** Hosts that have perhaps killed their workers: the worker serves these alone. */
  readonly apart?: readonly PackedHost[] | undefined;
  /** The name of this handing over: the message may come twice, and one worker may serve the hosts. */
  readonly id?: string | undefined;
}

/** The longest delay of a message (SQS developer guide, message timers). */
export const MAX_START_DELAY_MS = 900_000;

/**
 * How long the start queue keeps a message, which is counted from its sending. A message that is delivered without
 * effect may come back once; workers that could not be started by then are requested again.
 */
export const startRetentionMs = (visibilityMs: number): number => MAX_START_DELAY_MS + 2 * visibilityMs;

export const startText = ({ queue, workers, isSmall, apart, id }: StartMessage): string =>
  JSON.stringify({ queue, workers, ...(isSmall && { isSmall }), ...(apart && { apart, id }) });

/** Throws if the text is not a start message. Only workers of the stack send to its start queue. */
export function parseStartText(text: string): StartMessage {
  const parsed = JSON.parse(text);
  const start = startMessageIn(parsed);
  const { apart, id } = parsed;
  return Array.isArray(apart) ? { ...start, apart, id: String(id) } : start;
}

/** As above, for a parsed value: an event's detail, which has further fields. */
export function startMessageIn(value: unknown): StartMessage {
  const { queue, workers, isSmall, inPlaceOf } = (value ?? {}) as Partial<StartMessage>;
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
  if (!isCount(queue) || !isCount(workers))
    throw new Error(`Expected the numbers queue and workers, got ${JSON.stringify(value)?.slice(0, 200)}`);
  return {
    queue,
    workers,
    ...(isSmall === true && { isSmall }),
    ...(typeof inPlaceOf === 'string' && { inPlaceOf }),
  };
}
