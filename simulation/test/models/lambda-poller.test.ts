import { expect, test } from 'vitest';
import { NO_FAULTS } from '../../models/faults.ts';
import type { Invoked } from '../../models/lambda.ts';
import { createSimPoller, type SimPollerOptions } from '../../models/poller.ts';
import type { SqsEvent } from '../../models/poller-event.ts';
import { randomOf } from '../../models/random.ts';
import { createSimSqs } from '../../models/sqs.ts';
import { createVirtualTime } from '../../models/virtual-time.ts';

const VISIBILITY_S = 30;

interface Call {
  readonly at: number;
  readonly bodies: readonly string[];
  readonly groups: readonly string[];
  readonly event: SqsEvent;
}

/** A queue with its poller; what is invoked answers as `answer` says, after `ms`. */
function world(
  options: Partial<SimPollerOptions> = {},
  { ms = 100, answer }: { ms?: number; answer?: (call: Call) => Invoked<unknown> } = {},
) {
  const time = createVirtualTime(randomOf(1, 'ties'));
  const sqs = createSimSqs({ time, faults: NO_FAULTS, random: randomOf(1, 'sqs') });
  const isFifo = options.isFifo ?? true;
  const queueUrl = sqs.createQueue({
    name: isFifo ? 'q.fifo' : 'q',
    isFifo,
    visibilityS: VISIBILITY_S,
  });
  const calls: Call[] = [];
  const groupsNow: string[] = [];
  let running = 0;
  const seen = { maxRunning: 0, isGroupTwice: false };
  const poller = createSimPoller({
    time,
    faults: NO_FAULTS,
    random: randomOf(1, 'poller'),
    sqs,
    queueUrl,
    isFifo,
    batchSize: 10,
    maxConcurrency: 10,
    visibilityMs: VISIBILITY_S * 1000,
    async invoke(event) {
      const bodies = event.Records.map(({ body }) => body);
      const groups = [...new Set(event.Records.map(({ attributes }) => attributes.MessageGroupId ?? ''))];
      const call = { at: time.now(), bodies, groups, event };
      calls.push(call);
      seen.isGroupTwice ||= isFifo && groups.some((group) => groupsNow.includes(group));
      groupsNow.push(...groups);
      seen.maxRunning = Math.max(seen.maxRunning, ++running);
      await time.sleep(ms);
      running--;
      for (const group of groups) groupsNow.splice(groupsNow.indexOf(group), 1);
      return answer?.(call) ?? { status: 'done', result: undefined };
    },
    ...options,
  });
  let sent = 0;
  const send = (...bodies: string[]) => {
    for (const body of bodies)
      sqs.handle('SendMessageCommand', {
        QueueUrl: queueUrl,
        MessageBody: body,
        ...(isFifo && { MessageGroupId: body[0], MessageDeduplicationId: String(++sent) }),
      });
  };
  const left = () => [...sqs.messages(queueUrl)].map(({ body }) => body);
  const bodies = () => calls.flatMap(({ bodies }) => bodies);
  return { time, sqs, queueUrl, poller, calls, bodies, send, left, seen };
}

const reporting = (wrong: (body: string) => boolean) => ({
  answer: ({ event }: Call): Invoked<unknown> => ({
    status: 'done',
    result: {
      batchItemFailures: event.Records.filter(({ body }) => wrong(body)).map(({ messageId }) => ({
        itemIdentifier: messageId,
      })),
    },
  }),
});

test('a message that comes is handed to the function within a moment, and deleted when that is done', async () => {
  const { time, send, calls, left } = world();
  await time.advance(100_000);
  const sentAt = time.now();
  send('a1');
  await time.advance(1000);
  expect(calls.map(({ bodies }) => bodies)).toEqual([['a1']]);
  expect((calls[0]?.at ?? 0) - sentAt).toBeLessThanOrEqual(50);
  expect(left()).toEqual([]);
});

test('a record looks as functions see it, and its ARN ends as the URL of the queue', async () => {
  const { time, send, calls, queueUrl } = world();
  send('a1');
  await time.advance(1000);
  const [record] = calls[0]?.event.Records ?? [];
  expect(record).toMatchObject({
    body: 'a1',
    attributes: { ApproximateReceiveCount: '1', MessageGroupId: 'a' },
    eventSource: 'aws:sqs',
  });
  expect(record?.messageId).toBeTruthy();
  expect(record?.receiptHandle).toBeTruthy();
  expect(queueUrl.split('/').at(-1)).toBe(record?.eventSourceARN.split(':').at(-1));
});

test('batches of a FIFO queue mix groups, have ten messages at most, and keep each group in order', async () => {
  const { time, send, calls, bodies, seen } = world();
  const all = Array.from({ length: 40 }, (_, i) => `${'abcdefgh'[i % 8]}${i}`);
  send(...all);
  await time.advance(20_000);
  expect(Math.max(...calls.map(({ bodies }) => bodies.length))).toBe(10);
  expect(Math.max(...calls.map(({ groups }) => groups.length))).toBeGreaterThan(1);
  for (const group of 'abcdefgh')
    expect(bodies().filter((body) => body[0] === group)).toEqual(all.filter((body) => body[0] === group));
  expect(seen.isGroupTwice).toBe(false);
});

test('one invocation at a time works on a group, and no more at once than the limit', async () => {
  const { time, send, bodies, seen, poller } = world({ maxConcurrency: 3 });
  const all = Array.from({ length: 260 }, (_, i) => `${String.fromCharCode(97 + (i % 26))}${i}`);
  for (const body of all) {
    send(body);
    await time.advance(7);
  }
  await time.advance(60_000);
  expect(bodies().toSorted()).toEqual(all.toSorted());
  expect(seen).toEqual({ maxRunning: 3, isGroupTwice: false });
  expect(poller.running).toBe(0);
});

test('the one group of a queue keeps one invocation busy', async () => {
  const { time, send, bodies, seen } = world();
  send(...Array.from({ length: 35 }, (_, i) => `a${i}`));
  await time.advance(20_000);
  expect(bodies().length).toBe(35);
  expect(seen.maxRunning).toBe(1);
});

test('what is reported as failed stays as it is and comes again when its visibility ends; the rest is deleted', async () => {
  const { time, send, calls, left, poller } = world(
    {},
    reporting((body) => body === 'b1'),
  );
  send('a1', 'b1', 'c1');
  await time.advance(5000);
  expect(left()).toEqual(['b1']);
  await time.advance(VISIBILITY_S * 1000 - 6000);
  expect(calls.filter(({ bodies }) => bodies.includes('b1')).length).toBe(1);
  await time.advance(2000);
  const again = calls.filter(({ bodies }) => bodies.includes('b1'));
  expect(
    again.map(
      ({ event }) => event.Records.find(({ body }) => body === 'b1')?.attributes.ApproximateReceiveCount,
    ),
  ).toEqual(['1', '2']);
  expect(poller.counts.deletes).toBeGreaterThan(0);
});

test.each([
  ['an id that is no message of the batch', { batchItemFailures: [{ itemIdentifier: 'nobody' }] }],
  ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }],
  ['no id', { batchItemFailures: [{ itemIdentifier: null }] }],
  ['another key', { batchItemFailures: [{ id: 'x' }] }],
])('the whole batch has failed where %s is reported', async (_, result) => {
  const { time, send, left } = world({}, { answer: () => ({ status: 'done', result }) });
  send('a1', 'b1');
  await time.advance(5000);
  expect(left()).toEqual(['a1', 'b1']);
});

test.each([undefined, null, {}, { batchItemFailures: [] }, { batchItemFailures: null }])(
  'the whole batch is done where the answer is %o',
  async (result) => {
    const { time, send, left } = world({}, { answer: () => ({ status: 'done', result }) });
    send('a1', 'b1');
    await time.advance(5000);
    expect(left()).toEqual([]);
  },
);

test('what throws comes again whole when its visibility ends', async () => {
  let calls = 0;
  const { time, send, left, bodies } = world(
    {},
    {
      answer: () =>
        ++calls === 1 ? { status: 'failed', error: new Error('boom') } : { status: 'done', result: {} },
    },
  );
  send('a1', 'a2');
  await time.advance(VISIBILITY_S * 1000 - 1000);
  expect(left()).toEqual(['a1', 'a2']);
  await time.advance(10_000);
  expect(left()).toEqual([]);
  expect(bodies().slice(bodies().lastIndexOf('a1'))).toContain('a2');
});

test.each([
  ['first', 0],
  ['second', 0.5],
])('a batch that is handed out twice is settled by the answer of the %s invocation', async (_, detail) => {
  const faults = { ...NO_FAULTS, strikes: (name: string) => name === 'invokedTwice', random: () => detail };
  let calls = 0;
  const {
    time,
    send,
    calls: made,
    left,
  } = world(
    { faults },
    {
      answer: ({ event }) => ({
        status: 'done',
        // The first one has failed.
        result: { batchItemFailures: ++calls === 1 ? [{ itemIdentifier: event.Records[0]?.messageId }] : [] },
      }),
    },
  );
  send('a1');
  await time.advance(20_000);
  expect(made.map(({ bodies }) => bodies)).toEqual([['a1'], ['a1']]);
  const handles = made.map(({ event }) => event.Records[0]?.receiptHandle);
  expect(handles[0]).toBe(handles[1]);
  expect(left()).toEqual(detail < 0.5 ? ['a1'] : []);
});

test('a delete that comes after the visibility is refused on a FIFO queue without an error', async () => {
  const { time, send, left, calls } = world({}, { ms: VISIBILITY_S * 1000 + 2000 });
  send('a1');
  await time.advance(VISIBILITY_S * 1000 + 3000);
  expect(left()).toEqual(['a1']);
  expect(calls.length).toBe(2);
});

test('an invocation that is throttled is tried again, until the visibility ends and its messages come back', async () => {
  const attempts: string[] = [];
  const { time, send } = world({
    invoke: async ({ Records }) => {
      attempts.push(Records[0]?.attributes.ApproximateReceiveCount ?? '');
      return { status: 'throttled' };
    },
  });
  send('a1');
  await time.advance(VISIBILITY_S * 1000 - 5000);
  expect(new Set(attempts)).toEqual(new Set(['1']));
  expect(attempts.length).toBeGreaterThan(3);
  await time.advance(8000);
  expect(attempts.at(-1)).toBe('2');
});

test('after failures fewer are invoked at once, and more again with time', async () => {
  let isBroken = true;
  const { time, send, seen, poller } = world(
    { maxConcurrency: 16 },
    {
      ms: 1000,
      answer: () =>
        isBroken ? { status: 'failed', error: new Error('boom') } : { status: 'done', result: {} },
    },
  );
  const more = () =>
    send(...Array.from({ length: 260 }, (_, i) => `${String.fromCharCode(97 + (i % 26))}${i}`));
  more();
  await time.advance(1200);
  expect(seen.maxRunning).toBeGreaterThan(3);
  await time.advance(900);
  expect(poller.running).toBeLessThan(6);
  isBroken = false;
  seen.maxRunning = 0;
  await time.advance(60_000);
  expect(seen.maxRunning).toBeGreaterThan(3);
});

test('the invocations of a standard queue are five at first, and three hundred more each minute', async () => {
  const { time, send, seen } = world({ isFifo: false, maxConcurrency: 200 }, { ms: 30_000 });
  send(...Array.from({ length: 5000 }, (_, i) => `a${i}`));
  await time.advance(100);
  expect(seen.maxRunning).toBe(5);
  await time.advance(10_000);
  expect(seen.maxRunning).toBeGreaterThan(45);
  expect(seen.maxRunning).toBeLessThanOrEqual(56);
});

test('a window gathers what comes within it, from the first message on, and a full batch waits for nothing', async () => {
  const { time, send, calls } = world({ isFifo: false, batchSize: 25, windowMs: 5000 });
  const sentAt = time.now();
  send('a1');
  await time.advance(3000);
  send('a2', 'a3');
  await time.advance(7000);
  expect(calls.map(({ bodies }) => bodies.toSorted())).toEqual([['a1', 'a2', 'a3']]);
  expect((calls[0]?.at ?? 0) - sentAt).toBeGreaterThanOrEqual(5000);
  send(...Array.from({ length: 25 }, (_, i) => `b${i}`));
  await time.advance(1000);
  expect(calls[1]?.bodies.length).toBe(25);
});

test('an event has six megabytes at most', async () => {
  const { time, send, calls, left } = world({ isFifo: false, batchSize: 1000, windowMs: 5000 });
  send(...Array.from({ length: 15 }, (_, i) => `${i}${'x'.repeat(1_000_000)}`));
  await time.advance(20_000);
  expect(Math.max(...calls.map(({ bodies }) => bodies.length))).toBe(5);
  expect(left()).toEqual([]);
});

test('a queue with a window and another limit than its batches still gathers while all else is in use', async () => {
  const { time, send, bodies, seen } = world(
    { isFifo: false, batchSize: 100, windowMs: 1000, maxConcurrency: 2 },
    { ms: 10_000 },
  );
  for (let i = 0; i < 30; i++) {
    send(`a${i}`);
    await time.advance(500);
  }
  await time.advance(60_000);
  expect(bodies().length).toBe(30);
  expect(seen.maxRunning).toBe(2);
});

test('an idle queue makes nothing happen, and its long polls are counted', async () => {
  const { time, poller, send } = world();
  await time.advance(3_600_000);
  expect(poller.counts).toMatchObject({ receives: 0, idlePolls: 900 });
  send('a1');
  await time.advance(1000);
  expect(poller.counts).toMatchObject({ receives: 1, messages: 1, batches: 1, idlePolls: 900 });
});

test('a poller that is stopped receives no more', async () => {
  const { time, poller, send, left, calls } = world();
  poller.stop();
  send('a1');
  await time.advance(60_000);
  expect(left()).toEqual(['a1']);
  expect(calls).toEqual([]);
});

test('windows and large batches are refused for FIFO queues, as by Lambda', () => {
  expect(() => world({ batchSize: 11 })).toThrow(RangeError);
  expect(() => world({ windowMs: 1000 })).toThrow(RangeError);
});
