import type { TurnQueue } from '../shared/crawler/ports/turn-queue.ts';
import { turnShardOf } from '../shared/engines/aws/queues/turn-shards.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import { errorFields, type Log } from './log.ts';

type Workers = OpenedStack['engine']['workers'];

/**
 * Starts a worker for each turn queue that `queue` sends messages to and that has none: after the first message to it,
 * and when `startWorkers` is called.
 */
export function startingWorkers<Q extends Pick<TurnQueue, 'send'>>(queue: Q, workers: Workers, log: Log) {
  const sentTo = new Set<number>();
  return {
    queue: {
      ...queue,
      async send(messages: Parameters<TurnQueue['send']>[0]) {
        await queue.send(messages);
        const shards = new Set(messages.map(({ host }) => turnShardOf(host, workers.queues)));
        const news = [...shards].filter((shard) => !sentTo.has(shard));
        for (const shard of news) sentTo.add(shard);
        await startEach(news, workers, log);
      },
    },
    /**
     * Call it after all messages are sent: a worker that ends receives once more after it has announced its end. Never
     * rejects, since the waker starts the workers that could not be started here.
     */
    async startWorkers(): Promise<void> {
      const shards = [...sentTo];
      sentTo.clear();
      await startEach(shards, workers, log);
    },
  };
}

/**
 * Starts a worker for each turn queue that has messages and no worker. Resolves to whether one has messages, received or not; a queue
 * that cannot be looked at perhaps has. Never rejects.
 */
export async function startMissing(workers: Workers, log: Log): Promise<boolean> {
  const all = Array.from({ length: workers.queues }, (_, queue) => queue);
  const found = await forEach(all, log, (queue) => workers.startMissing(queue));
  return found.some((hasMessages) => hasMessages !== false);
}

/** Starts a worker for each turn queue that has none. Never rejects, since the waker starts what could not be started here. */
const startEach = (queues: readonly number[], workers: Workers, log: Log) =>
  forEach(queues, log, (queue) => workers.ensure(queue));

function forEach<T>(
  queues: readonly number[],
  log: Log,
  work: (queue: number) => Promise<T>,
): Promise<(T | undefined)[]> {
  return Promise.all(
    queues.map(async (queue) => {
      try {
        return await work(queue);
      } catch (error) {
        log('warn', { notStartedFor: queue, ...errorFields(error) });
        return undefined;
      }
    }),
  );
}
