import type { Clock } from '../../crawler/ports/clock.ts';

export interface RetryOptions {
  readonly clock: Pick<Clock, 'sleep' | 'random'>;
  /** Aborted: no more attempts. */
  readonly signal?: AbortSignal;
}

/**
 * Calls made before the throttle is thrown to the caller. Together at most 12.7 s of waiting, half of it on
 * average. A table or a queue that grows takes longer than that.
 */
export const RETRY_ATTEMPTS = 8;
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 10_000;

/**
 * Calls again what AWS has throttled, which the SDK's own retries leave to us (`clients.ts`). A throttled
 * request was not carried out, so this is safe for any call; all other errors are thrown as they come. `what`
 * names the call in the error of the last attempt.
 */
export async function withRetry<T>(what: string, call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, signal } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!isThrottle(error) || signal?.aborted) throw error;
      if (attempt >= RETRY_ATTEMPTS) {
        throw new Error(`${what}: throttled ${attempt} times over`, { cause: error });
      }
    }
    await clock.sleep(retryWaitMs(attempt, clock.random()), signal);
  }
}

/**
 * How long to wait after the attempt of that number (from 1): "full jitter", uniform between nothing and a
 * limit that doubles, which spreads the callers best (AWS Architecture Blog, "Exponential Backoff And
 * Jitter").
 */
export function retryWaitMs(attempt: number, random: number): number {
  return random * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
}

/** Error codes by which the services say "later": the SDK's own list, and those of single batch entries. */
const THROTTLES: ReadonlySet<string> = new Set([
  'BandwidthLimitExceeded',
  'KmsThrottled',
  'LimitExceededException',
  'OverLimit',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  // A transaction has the item at this moment.
  'TransactionConflictException',
  'TransactionInProgressException',
]);

/** Whether the error says that the service refused the request for its rate, without carrying it out. */
export function isThrottle(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { $metadata, $retryable } = error as {
    $metadata?: { httpStatusCode?: number };
    $retryable?: { throttling?: boolean };
  };
  const status = $metadata?.httpStatusCode;
  const isUnnamed = status === 503 && error.name === UNNAMED;
  return isThrottleCode(error.name) || isUnnamed || status === 429 || $retryable?.throttling === true;
}

/** The SDK's name of an error without a code: S3 answers a HEAD without a body, so also its 503 `SlowDown`. */
const UNNAMED = 'Unknown';

/** As above, for an error code alone: SQS prefixes some with its own or another service's name. */
export function isThrottleCode(code: string | undefined): boolean {
  return code !== undefined && THROTTLES.has(code.slice(code.lastIndexOf('.') + 1));
}
