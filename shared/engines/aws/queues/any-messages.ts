import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { withRetry } from '../retry.ts';
import { countMessages } from './sqs-queue.ts';

/** Queues polled at once. */
const AT_ONCE = 10;

/**
 * Whether any of the queues keeps messages, as far as SQS knows ({@link countMessages}). Polled in order, until one has
 * some: queues that mostly have messages should come first.
 */
export async function anyMessages(
  client: Pick<SQSClient, 'send'>,
  queueUrls: readonly string[],
  clock: Clock,
): Promise<boolean> {
  const count = (url: string) => withRetry('counting messages', () => countMessages(client, url), { clock });
  for (let from = 0; from < queueUrls.length; from += AT_ONCE) {
    const counts = await Promise.all(queueUrls.slice(from, from + AT_ONCE).map(count));
    if (counts.some((count) => count > 0)) return true;
  }
  return false;
}
