/**
 * The AWS SDK's clients, as all of a stack's processes use them. Region, credentials and endpoint: the SDK's
 * own chain.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import type { Clock } from '../../crawler/ports/clock.ts';
import type { AwsClients } from './engine.ts';
import { isThrottle } from './retry.ts';

/**
 * Each service has no more connections than these, however many hosts a worker serves: Lambda allows 1,024
 * files.
 */
const MIN_SOCKETS = 50;
const MAX_SOCKETS = 150;
const CONNECT_MS = 3000;
/**
 * Until the answer is there; a call that takes longer is made again. The two services answer in some tens of ms at
 * most.
 */
export const ANSWER_MS = 8000;
/** As above, for requests that send several MB, or that copy before S3 answers. */
const S3_ANSWER_MS = 30_000;

/**
 * `concurrency`: hosts served at once, each of which makes one call at a time. `region`: by default the SDK's
 * own.
 */
export function createClients(
  concurrency: number,
  clock: Pick<Clock, 'random'>,
  region?: string,
): AwsClients {
  const maxSockets = Math.min(MAX_SOCKETS, Math.max(MIN_SOCKETS, concurrency));
  const common = (answerMs: number) => clientOptions(clock, { region, answerMs, maxSockets });
  return {
    dynamo: new DynamoDBClient(common(ANSWER_MS)),
    // Where the endpoint is an IP address, as an emulator's, the bucket is in the path: the SDK's own
    // endpoint rules.
    s3: new S3Client(common(S3_ANSWER_MS)),
    // The queue's URL names an address, too: an emulator's may be one that only it knows.
    sqs: new SQSClient({ ...common(ANSWER_MS), useQueueUrlAsEndpoint: false }),
  };
}

/**
 * The options of each client: without them, the SDK waits for an answer for ever. `answerMs`: until the answer is there. `maxSockets`:
 * for a service that is called now and then, the least.
 */
export const clientOptions = (
  clock: Pick<Clock, 'random'>,
  {
    region,
    answerMs = ANSWER_MS,
    maxSockets = MIN_SOCKETS,
  }: {
    readonly region?: string | undefined;
    readonly answerMs?: number;
    readonly maxSockets?: number;
  } = {},
) => ({
  ...(region !== undefined && { region }),
  requestHandler: {
    connectionTimeout: CONNECT_MS,
    requestTimeout: answerMs,
    throwOnRequestTimeout: true,
    httpAgent: { keepAlive: true, maxSockets },
    httpsAgent: { keepAlive: true, maxSockets },
  },
  retryStrategy: transientRetries(clock),
});

type RetryStrategy = Extract<
  NonNullable<SQSClientConfig['retryStrategy']>,
  { refreshRetryTokenForRetry: unknown }
>;

const MAX_ATTEMPTS = 3;
const FIRST_WAIT_MS = 100;

/**
 * The SDK's part of trying again: calls that failed on their way, at once. Throttles are `withRetry`'s: were
 * both to try, a throttled call would be made two dozen times.
 */
export function transientRetries({ random }: Pick<Clock, 'random'>): RetryStrategy {
  const tokenOf = (retries: number) => ({
    getRetryCount: () => retries,
    getRetryDelay: () => (retries === 0 ? 0 : Math.round(random() * FIRST_WAIT_MS * 2 ** retries)),
  });
  return {
    acquireInitialRetryToken: async () => tokenOf(0),
    async refreshRetryTokenForRetry(token, { errorType, error }) {
      const retries = token.getRetryCount() + 1;
      const isTriedAgain = errorType === 'TRANSIENT' && !isThrottle(error) && retries < MAX_ATTEMPTS;
      // The error that is thrown to the caller is the call's own.
      if (!isTriedAgain) throw new Error('no more attempts');
      return tokenOf(retries);
    },
    recordSuccess() {},
  };
}
