/** The message that starts a worker. */

export interface StartMessage {
  /** The turn queue that the worker receives from. */
  readonly queue: number;
  /** The worker ends at once if the queue has this number of workers already. */
  readonly workers: number;
}

/** The longest delay of a message (SQS developer guide, message timers). */
export const MAX_START_DELAY_MS = 900_000;

/**
 * How long the start queue keeps a message, which is counted from its sending. A message that is delivered and comes to
 * nothing may come back once; what could not be started by then is asked for again.
 */
export const startRetentionMs = (visibilityMs: number): number => MAX_START_DELAY_MS + 2 * visibilityMs;

export const startText = ({ queue, workers }: StartMessage): string => JSON.stringify({ queue, workers });

/** Throws where the text is no such message. */
export function parseStartText(text: string): StartMessage {
  const { queue, workers } = (JSON.parse(text) ?? {}) as Partial<StartMessage>;
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
  if (!isCount(queue) || !isCount(workers))
    throw new Error(`Expected the numbers queue and workers, got ${text.slice(0, 200)}`);
  return { queue, workers };
}
