import { expect, test } from 'vitest';
import { startingWorkers, startMissing } from '../../functions/start-workers.ts';
import type { TurnQueue } from '../../shared/crawler/ports/turn-queue.ts';
import { turnShardOf } from '../../shared/engines/aws/queues/turn-shards.ts';
import type { WorkerPool } from '../../shared/engines/aws/workers/worker-pool.ts';
import { createFakePool, type Started } from './fake-stack.ts';

/** Hosts of the first and of the second turn queue. */
const [A, B] = [0, 1].map((shard) =>
  Array.from({ length: 50 }, (_, i) => `h${i}.test`).find((host) => turnShardOf(host, 2) === shard),
) as [string, string];
type Messages = Parameters<TurnQueue['send']>[0];

const wake = (host: string): Messages[number] => ({ host, message: { kind: 'wake', crawl: 'c' } });
const started = (queue: number): Started => ({ queue, workers: 1, delayMs: 0 });

function setUp() {
  const starts: Started[] = [];
  const steps: string[] = [];
  const logged: object[] = [];
  const pool = createFakePool(starts);
  const start = pool.start.bind(pool);
  pool.start = async (queue, ...rest) => {
    steps.push(`start ${queue}`);
    await start(queue, ...rest);
  };
  const send = async (messages: Messages) => {
    await Promise.resolve();
    steps.push(`send ${messages.map(({ host }) => host)}`);
  };
  const log = (_level: string, fields: object) => void logged.push(fields);
  return { starts, steps, logged, pool, send, log, workers: pool as WorkerPool };
}

test('the first messages to a turn queue start a worker for it, after they are sent; later ones do not', async () => {
  const { starts, steps, workers, send, log } = setUp();
  const { queue } = startingWorkers({ send }, workers, log);
  await queue.send([wake(A), wake(A)]);
  expect(steps).toEqual([`send ${A},${A}`, 'start 0']);
  await queue.send([wake(A)]);
  expect(starts).toEqual([started(0)]);
  await queue.send([wake(A), wake(B)]);
  expect(starts).toEqual([started(0), started(1)]);
});

test('the queue is otherwise as it was', () => {
  const { workers, send, log } = setUp();
  const receive = async () => [];
  expect(startingWorkers({ send, receive }, workers, log).queue.receive).toBe(receive);
});

test('at the end a worker is started again for each queue that was sent messages, and has none by then', async () => {
  const { starts, workers, send, log } = setUp();
  const { queue, startWorkers } = startingWorkers({ send }, workers, log);
  await startWorkers();
  expect(starts).toEqual([]);
  await queue.send([wake(A), wake(B)]);
  await workers.show(1, { id: 'w', hosts: 1, maxHosts: 10, isEnding: false });
  starts.length = 0;
  await startWorkers();
  expect(starts).toEqual([started(0)]);
  // The queues that were sent messages before are done with; later messages begin again.
  starts.length = 0;
  await startWorkers();
  expect(starts).toEqual([]);
  await queue.send([wake(A)]);
  expect(starts).toEqual([started(0)]);
});

test('nothing is started for messages that could not be sent', async () => {
  const { starts, workers, log } = setUp();
  const send = async () => Promise.reject(new Error('the queue is out of reach'));
  const { queue, startWorkers } = startingWorkers({ send }, workers, log);
  await expect(queue.send([wake(A)])).rejects.toThrow('out of reach');
  await startWorkers();
  expect(starts).toEqual([]);
});

test('a worker that cannot be started is logged, and hinders neither the sender nor the other queues', async () => {
  const { starts, logged, pool, workers, send, log } = setUp();
  const { ensure } = pool;
  pool.ensure = async (queue) => {
    if (queue === 0) throw new Error('no starts today');
    await ensure(queue);
  };
  const { queue, startWorkers } = startingWorkers({ send }, workers, log);
  await queue.send([wake(A), wake(B)]);
  await startWorkers();
  expect(starts).toEqual([started(1), started(1)]);
  expect(logged).toHaveLength(2);
  expect(logged[0]).toMatchObject({ notStartedFor: 0 });
  expect(JSON.stringify(logged[0])).toContain('no starts today');
});

test('each turn queue is looked at, and whether one has messages is said', async () => {
  const { pool, workers, logged, log } = setUp();
  const looked: number[] = [];
  const look = (answers: readonly (boolean | Error)[]) => {
    pool.startMissing = async (queue) => {
      looked.push(queue);
      const answer = answers[queue] as boolean | Error;
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return startMissing(workers, log);
  };
  expect(await look([false, false])).toBe(false);
  expect(looked).toEqual([0, 1]);
  expect(await look([false, true])).toBe(true);
  expect(logged).toEqual([]);
  // Perhaps it has.
  expect(await look([new Error('no answer'), false])).toBe(true);
  expect(logged).toMatchObject([{ notStartedFor: 0 }]);
});
