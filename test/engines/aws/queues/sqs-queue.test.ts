/** Calls on one queue for any number of messages, and records that cannot be read. */
import { describe, expect, test } from 'vitest';
import { NewerFormat } from '../../../../shared/core/frontier/bytes.ts';
import type { CorruptRecord } from '../../../../shared/engines/aws/queues/delivery.ts';
import {
  deleteAll,
  hideAll,
  parker,
  settleCorrupt,
} from '../../../../shared/engines/aws/queues/sqs-queue.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { batchAnswer, entriesOf, fakeSqs, type SqsCall } from './fake-sqs.ts';

const HANDLES = Array.from({ length: 25 }, (_, i) => `h${i}`);

/** A queue whose calls take 100 ms each. `fails`: the error code of an entry, by its receipt handle. */
function open(fails: (handle: string) => string | undefined = () => undefined) {
  const clock = createFakeClock();
  const inProgress = { now: 0, most: 0 };
  const { client, calls } = fakeSqs(() => ({}));
  const slow = {
    async send(...args: Parameters<typeof client.send>) {
      await client.send(...args);
      const call = calls.at(-1) as SqsCall;
      inProgress.most = Math.max(inProgress.most, ++inProgress.now);
      await clock.sleep(100);
      inProgress.now--;
      return batchAnswer(call, ({ ReceiptHandle }) => fails(String(ReceiptHandle)));
    },
  } as typeof client;
  const handled = () => calls.map((call) => entriesOf(call).map(({ ReceiptHandle }) => ReceiptHandle));
  return { clock, calls, handled, inProgress, queue: { client: slow, queueUrl: 'http://sqs.test/q', clock } };
}

type Opened = ReturnType<typeof open>;

describe.each<[string, (queue: Opened['queue']) => Promise<unknown>]>([
  ['deleting', (queue) => deleteAll(queue, HANDLES)],
  ['hiding', (queue) => hideAll(queue, HANDLES, 5)],
])('%s messages', (_, settle) => {
  test('takes a call for each ten of them, one after the other, in the order given', async () => {
    const { clock, queue, handled, inProgress } = open();
    await clock.drive(settle(queue));
    expect(handled()).toEqual([HANDLES.slice(0, 10), HANDLES.slice(10, 20), HANDLES.slice(20)]);
    expect(inProgress).toEqual({ now: 0, most: 1 });
  });

  test('ends with the first call that fails: nothing is in progress then, or begins later', async () => {
    const { clock, queue, calls, inProgress } = open((handle) =>
      handle === 'h12' ? 'NoSuchQueue' : undefined,
    );
    const left = settle(queue).then(
      () => 'done',
      (error: Error) => [error.name, inProgress.now, calls.length],
    );
    const result = await clock.drive(left);
    expect(result).toEqual(['BatchFailure', 0, calls.length]);
    await clock.advance(10_000);
    expect(calls.flatMap(entriesOf).some(({ ReceiptHandle }) => ReceiptHandle === 'h20')).toBe(false);
  });

  test('leaves those alone that are received again since', async () => {
    const { clock, queue, handled } = open((handle) =>
      handle === 'h3' ? 'ReceiptHandleIsInvalid' : undefined,
    );
    const left = await clock.drive(settle(queue));
    expect(handled()).toHaveLength(3);
    if (left !== undefined) expect(left).toEqual(new Set(['h3']));
  });
});

describe('parking a message', () => {
  const park = ({ client, clock, queueUrl }: Opened['queue']) =>
    parker({ client, clock })(queueUrl, { receiptHandle: 'h1' }, 7);

  test('is over when the message is hidden, for the given number of seconds', async () => {
    const { clock, queue, calls, inProgress } = open();
    const inProgressAfter = await clock.drive(park(queue).then(() => inProgress.now));
    expect(inProgressAfter).toBe(0);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.input).toMatchObject({ QueueUrl: queue.queueUrl });
    expect(calls.flatMap(entriesOf)).toMatchObject([{ ReceiptHandle: 'h1', VisibilityTimeout: 7 }]);
  });

  test('fails if it cannot be hidden', async () => {
    const { clock, queue } = open(() => 'NoSuchQueue');
    await expect(clock.drive(park(queue))).rejects.toThrow('NoSuchQueue');
  });
});

describe('records that cannot be read', () => {
  const corrupt = (name: string, error: unknown): CorruptRecord => ({
    record: { messageId: name, receiptHandle: `handle ${name}`, body: '', attributes: {} },
    error,
  });
  const newer = () => new NewerFormat('a message of version 99');
  const DAMAGED = new Error('damaged');

  test('never fail the receive that brought them, though none of them can be hidden or deleted', async () => {
    const { clock, queue, calls } = open(() => 'AccessDenied');
    const seen: string[] = [];
    const settled = await clock.drive(
      settleCorrupt(queue, [corrupt('newer', newer()), corrupt('kept', DAMAGED), corrupt('taken', DAMAGED)], {
        async onCorrupt({ messageId }) {
          seen.push(messageId);
          if (messageId === 'kept') throw new Error('no dead-letter queue');
        },
        onNewer: ({ messageId }) => seen.push(messageId),
      }),
    );
    expect(settled).toEqual([]);
    expect(seen).toEqual(['newer', 'kept', 'taken']);
    const kinds = new Set(
      calls.map(({ name, input }) => `${name} ${entriesOf({ name, input })[0]?.ReceiptHandle}`),
    );
    // The last one could not be deleted, so it is to come again soon.
    expect([...kinds]).toEqual([
      'ChangeMessageVisibilityBatch handle newer',
      'ChangeMessageVisibilityBatch handle kept',
      'DeleteMessageBatch handle taken',
      'ChangeMessageVisibilityBatch handle taken',
    ]);
  });

  test('are named once they were taken care of and deleted', async () => {
    const { clock, queue } = open();
    const records = [corrupt('a', DAMAGED), corrupt('b', newer()), corrupt('c', DAMAGED)];
    expect(await clock.drive(settleCorrupt(queue, records, { onCorrupt: async () => {} }))).toEqual([
      'a',
      'c',
    ]);
  });
});
