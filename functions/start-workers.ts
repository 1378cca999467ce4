import { turnShardOf } from '../shared/engines/aws/queues/turn-shards.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import type { TurnQueue } from '../shared/ports/turn-queue.ts';
import { errorFields, type Log } from './log.ts';

type Workers = OpenedStack['engine']['workers'];

/** Notes the turn queues that `queue` sends messages to, and starts a worker for those that have none. */
export function startingWorkers<Q extends Pick<TurnQueue, 'send'>>(queue: Q, workers: Workers, log: Log) {
  const sentTo = new Set<number>();
  return {
    queue: {
      ...queue,
      async send(messages: Parameters<TurnQueue['send']>[0]) {
        for (const { host } of messages) sentTo.add(turnShardOf(host, workers.queues));
        await queue.send(messages);
      },
    },
    /**
     * To be called after sending: a worker that ends receives once more after it has said so. Never rejects, since
     * the waker starts what could not be started here.
     */
    async startWorkers(): Promise<void> {
      const shards = [...sentTo];
      sentTo.clear();
      await startEach(shards, workers, log);
    },
  };
}

/** Starts a worker for each turn queue that has messages and no worker. Never rejects. */
export async function startMissing(workers: Workers, log: Log): Promise<void> {
  const all = Array.from({ length: workers.queues }, (_, queue) => queue);
  await startEach(all, workers, log, async (queue) => (await workers.waiting(queue)) > 0);
}

async function startEach(
  queues: readonly number[],
  workers: Workers,
  log: Log,
  isNeeded: (queue: number) => Promise<boolean> = async () => true,
): Promise<void> {
  await Promise.all(
    queues.map(async (queue) => {
      try {
        if (await isNeeded(queue)) await workers.ensure(queue);
      } catch (error) {
        log('warn', { notStartedFor: queue, ...errorFields(error) });
      }
    }),
  );
}
