import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { SqsRecord } from '../../../../shared/engines/aws/queues/delivery.ts';
import { receiveRecords } from '../../../../shared/engines/aws/queues/sqs-receive.ts';
import { createFakeClock, T0 } from '../../../crawler/worker/fake-clock.ts';
import { batchAnswer, fakeSqs, type SqsCall } from './fake-sqs.ts';

const QUEUE = 'https://sqs.us-east-1.amazonaws.com/1/turns.fifo';
const messages = (...names: string[]) => ({
  Messages: names.map((name) => ({ MessageId: name, ReceiptHandle: `h-${name}`, Body: name })),
});
const many = (count: number, from = 0) =>
  messages(...Array.from({ length: count }, (_, i) => `m${from + i}`));

interface Given {
  /** Each receive's response, in order; then empty ones. An empty one comes when the poll has ended. */
  readonly answers?: readonly (object | Error)[];
  readonly waitMs?: number;
  readonly room?: number;
  readonly visibilityS?: number;
  readonly isFifo?: boolean;
  readonly signal?: AbortSignal;
  readonly take?: (records: readonly SqsRecord[]) => Promise<void>;
  readonly onPoll?: () => void;
}

/** Receives, and returns what was taken, with the calls that were made. */
async function receive(given: Given) {
  const { answers = [], waitMs = 0, visibilityS = 300, isFifo = true, signal, take, onPoll } = given;
  const clock = createFakeClock();
  const taken: { readonly ids: string[]; readonly receivedAt: number }[] = [];
  let room = given.room ?? 10;
  let polls = 0;
  const { client, calls } = fakeSqs(() => ({}));
  const polling: Pick<typeof client, 'send'> = {
    async send(...args: Parameters<typeof client.send>) {
      await client.send(...args);
      const call = calls.at(-1) as SqsCall;
      if (call.name !== 'ReceiveMessage') return batchAnswer(call);
      onPoll?.();
      const answer = answers[polls++] ?? {};
      if (answer instanceof Error) throw answer;
      const isEmpty = !('Messages' in answer);
      await clock.sleep(isEmpty ? (call.input.WaitTimeSeconds as number) * 1000 : 10);
      return answer;
    },
  } as Pick<typeof client, 'send'>;
  const source = { client: polling, queueUrl: QUEUE, clock, visibilityS, isFifo };
  const receiving = receiveRecords(
    source,
    { waitMs, signal },
    () => room,
    async (records, receivedAt) => {
      room -= records.length;
      taken.push({ ids: records.map(({ messageId }) => messageId), receivedAt });
      await take?.(records);
    },
  );
  const outcome = receiving.then(
    () => undefined,
    (error: Error) => error,
  );
  await clock.drive(outcome);
  const error = await outcome;
  const polled = calls.filter(({ name }) => name === 'ReceiveMessage').map(({ input }) => input);
  const hidden = () =>
    calls
      .filter(({ name }) => name === 'ChangeMessageVisibilityBatch')
      .flatMap(({ input }) => input.Entries as { ReceiptHandle: string; VisibilityTimeout: number }[]);
  return { clock, taken, error, polled, hidden, ids: taken.flatMap(({ ids }) => ids) };
}

describe('receiving', () => {
  test('continues while receives are full, and ends with the first that is not', async () => {
    const answers = [many(10), many(10, 10), many(3, 20), many(10, 23)];
    const { ids, polled } = await receive({ answers, room: 40 });
    expect(ids).toHaveLength(23);
    expect(polled).toHaveLength(3);
  });

  test('asks for no more than there is room for, and ends when there is none', async () => {
    const { ids, polled } = await receive({ answers: [many(10), many(4, 10)], room: 14 });
    expect(ids).toHaveLength(14);
    expect(polled.map(({ MaxNumberOfMessages }) => MaxNumberOfMessages)).toEqual([10, 4]);
  });

  test('gives the time before each call, from which the messages are hidden at the earliest', async () => {
    const { taken } = await receive({ answers: [many(10), many(1, 10)], room: 20 });
    expect(taken.map(({ receivedAt }) => receivedAt - T0)).toEqual([0, 10]);
  });

  test('waits for the first message for whole seconds, in polls that leave most of the lease', async () => {
    const { polled, clock, ids } = await receive({ waitMs: 11_500, visibilityS: 20 });
    expect(polled.map(({ WaitTimeSeconds }) => WaitTimeSeconds)).toEqual([5, 5, 2]);
    expect(clock.now() - T0).toBe(12_000);
    expect(ids).toEqual([]);
  });

  test.each([
    [1, 1],
    [7, 1],
    [22, 5],
    [23, 5],
    [79, 19],
  ])(
    'of a lease of %s s, a poll takes a quarter at most, and one second at least: %s s',
    async (lease, pollS) => {
      const { polled } = await receive({ answers: [many(1)], waitMs: 30_000, visibilityS: lease });
      expect(polled.map(({ WaitTimeSeconds }) => WaitTimeSeconds)).toEqual([pollS]);
    },
  );

  test('polls for 20 s at most', async () => {
    const { polled } = await receive({ waitMs: 30_000, visibilityS: 900 });
    expect(polled.map(({ WaitTimeSeconds }) => WaitTimeSeconds)).toEqual([20, 10]);
  });

  test('does not wait for further messages once it has taken some', async () => {
    const { polled } = await receive({ answers: [many(10)], room: 20, waitMs: 20_000 });
    expect(polled.map(({ WaitTimeSeconds }) => WaitTimeSeconds)).toEqual([20, 0]);
  });

  test('says how long messages are hidden; each receive of a FIFO queue has an id of its own', async () => {
    const { polled } = await receive({ answers: [many(10)], room: 20, visibilityS: 33 });
    expect(polled[0]).toMatchObject({
      QueueUrl: QUEUE,
      VisibilityTimeout: 33,
      MessageSystemAttributeNames: [
        'ApproximateReceiveCount',
        'MessageGroupId',
        'MessageDeduplicationId',
        'SentTimestamp',
        'ApproximateFirstReceiveTimestamp',
      ],
    });
    expect(new Set(polled.map(({ ReceiveRequestAttemptId }) => ReceiveRequestAttemptId)).size).toBe(2);
    const standard = await receive({ isFifo: false });
    expect(standard.polled[0]).not.toHaveProperty('ReceiveRequestAttemptId');
  });
});

describe('an error', () => {
  const denied = Object.assign(new Error('no'), { name: 'AccessDenied' });

  test('before anything was taken is thrown', async () => {
    expect((await receive({ answers: [denied] })).error?.message).toContain('no');
  });

  test('after something was taken ends the receiving, and what was taken stays', async () => {
    const { error, ids } = await receive({ answers: [many(10), denied], room: 20 });
    expect(error).toBeUndefined();
    expect(ids).toHaveLength(10);
  });
});

describe('a signal', () => {
  test('that has been aborted before lets nothing be received', async () => {
    const { polled } = await receive({ answers: [many(1)], signal: AbortSignal.abort() });
    expect(polled).toEqual([]);
  });

  test('ends a poll at once; what it brings later is visible again, the last message first', async () => {
    const stopping = new AbortController();
    const answers = [messages('a', 'b', 'c')];
    const run = await receive({ answers, signal: stopping.signal, onPoll: () => stopping.abort() });
    expect(run.ids).toEqual([]);
    expect(run.error).toBeUndefined();
    await run.clock.advance(1000);
    expect(run.hidden().map(({ ReceiptHandle }) => ReceiptHandle)).toEqual(['h-c', 'h-b', 'h-a']);
    expect(run.hidden().map(({ VisibilityTimeout }) => VisibilityTimeout)).toEqual([0, 0, 0]);
  });

  test('that aborts a poll which fails later has nothing to do with that failure', async () => {
    const stopping = new AbortController();
    const answers = [new Error('no network')];
    const run = await receive({ answers, signal: stopping.signal, onPoll: () => stopping.abort() });
    // Nobody waits for the poll: a rejection that nobody handles would end the process.
    await run.clock.advance(1000);
    expect([run.error, run.ids, run.hidden()]).toEqual([undefined, [], []]);
  });

  test('that outlives many receives keeps nothing of them', async () => {
    const { signal } = new AbortController();
    for (const answers of [[many(10), many(10, 10)], [], [new Error('no network')]])
      await receive({ answers, room: 40, signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('between two receives ends the receiving', async () => {
    const stopping = new AbortController();
    const { polled, ids } = await receive({
      answers: [many(10), many(10, 10)],
      room: 20,
      signal: stopping.signal,
      take: async () => stopping.abort(),
    });
    expect(polled).toHaveLength(1);
    expect(ids).toHaveLength(10);
  });
});
