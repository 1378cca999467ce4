import { expect, test } from 'vitest';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import { createLinkExchange } from '../../../../shared/engines/aws/queues/link-exchange.ts';
import { groupIdOf, messageTexts } from '../../../../shared/engines/aws/queues/message-text.ts';
import { countMessages } from '../../../../shared/engines/aws/queues/sqs-queue.ts';
import { createTurnQueue, type TurnQueueOptions } from '../../../../shared/engines/aws/queues/turn-queue.ts';
import { CRAWL, linkTo, token, tokensOf } from '../../../contract/subjects.ts';
import { createFakeClock, T0 } from '../../../crawler/worker/fake-clock.ts';
import { batchAnswer, entriesOf, fakeSqs, type SqsCall, throttle } from './fake-sqs.ts';

const A = 'a.test';
const B = 'b.test';
const VISIBILITY_MS = 600_000;
const HOUR_MS = 3_600_000;

function sqsMessage(host: string, text: string, receiveCount = 1, body?: string) {
  return {
    MessageId: text,
    ReceiptHandle: `handle ${text}`,
    Body: body ?? messageTexts(host, token(text), SIZES.maxMessageBytes)[0]!,
    Attributes: { ApproximateReceiveCount: String(receiveCount), MessageGroupId: groupIdOf(host) },
  };
}

type SqsMessage = ReturnType<typeof sqsMessage>;
type Fails = (entry: Record<string, unknown>) => string | undefined;

/** A queue whose receives give these messages, one list after the other, then nothing. */
function openQueue(
  receives: (readonly SqsMessage[] | Error)[],
  { fails, ...options }: Partial<TurnQueueOptions> & { fails?: Fails } = {},
) {
  const clock = createFakeClock();
  const left = [...receives];
  const { client, calls } = fakeSqs((call) => {
    if (call.name !== 'ReceiveMessage') return batchAnswer(call, fails);
    const next = left.shift();
    if (next === undefined) return {};
    return next instanceof Error ? next : { Messages: next };
  });
  const queue = createTurnQueue({
    client,
    clock,
    queueUrl: 'http://sqs.test/turns',
    visibilityMs: VISIBILITY_MS,
    ...options,
  });
  const named = (name: string) => calls.filter((call) => call.name === name);
  return { queue, clock, calls, named };
}

const hidden = (calls: readonly SqsCall[]) =>
  calls.flatMap((call) =>
    entriesOf(call).map(({ ReceiptHandle, VisibilityTimeout }) => [ReceiptHandle, VisibilityTimeout]),
  );

test('sends each message to its host, in batches that keep hosts together', async () => {
  const { queue, named } = openQueue([]);
  const hosts = Array.from({ length: 12 }, (_, i) => `h${i}.test`);
  await queue.send([...hosts, ...hosts].map((host, i) => ({ host, message: token(String(i)) })));
  const batches = named('SendMessageBatch').map((call) =>
    entriesOf(call).map((entry) => entry.MessageGroupId),
  );
  expect(batches).toEqual(
    [0, 5, 10].map((from) => hosts.slice(from, from + 5).flatMap((host) => [host, host])),
  );
  const ids = named('SendMessageBatch').flatMap((call) =>
    entriesOf(call).map((entry) => entry.MessageDeduplicationId),
  );
  expect(new Set(ids).size).toBe(24);
});

test('a message has the same deduplication id again, a wake-up a new one', async () => {
  const { queue, clock, named } = openQueue([]);
  const wake = { kind: 'wake', crawl: CRAWL } as const;
  for (let i = 0; i < 2; i++) {
    for (const message of [token('1'), wake, { ...wake, resume: 1 }])
      await queue.send([{ host: A, message }]);
    await clock.advance(1000);
  }
  const ids = named('SendMessageBatch').map((call) => entriesOf(call)[0]!.MessageDeduplicationId);
  expect(ids[0]).toBe(ids[3]);
  expect(new Set(ids).size).toBe(5);
});

test('a send that SQS refuses is an error', async () => {
  const { queue, clock } = openQueue([], { fails: () => 'InvalidMessageContents' });
  const failure = queue.send([{ host: A, message: token('1') }]).catch((error) => error);
  expect(await clock.drive(failure)).toMatchObject({ name: 'BatchFailure' });
});

test('receives on while receives are full, as long as there is room, and waits for the first alone', async () => {
  const full = Array.from({ length: 10 }, (_, i) => sqsMessage(i < 6 ? A : `h${i}.test`, String(i)));
  const more = Array.from({ length: 9 }, (_, i) => sqsMessage('more.test', String(i)));
  const { queue, named } = openQueue([full, more, [sqsMessage(B, 'b')], [sqsMessage('late.test', 'c')]]);
  const groups = await queue.receive(14, 3200);
  expect(groups.map(({ host }) => host)).toEqual([
    A,
    'h6.test',
    'h7.test',
    'h8.test',
    'h9.test',
    'more.test',
    B,
  ]);
  const asked = named('ReceiveMessage').map(({ input }) => [
    input.MaxNumberOfMessages,
    input.WaitTimeSeconds,
  ]);
  expect(asked).toEqual([
    [10, 4],
    [9, 0],
    [8, 0],
  ]);
  expect(tokensOf(groups[0]!.deliveries)).toEqual(['0', '1', '2', '3', '4', '5']);
});

test('asks for no more messages than hosts are wanted, for each may be of another host', async () => {
  const { queue, named } = openQueue([[sqsMessage(A, '1'), sqsMessage(A, '2')], [sqsMessage(B, '3')]]);
  expect((await queue.receive(2, 0)).map(({ host }) => host)).toEqual([A, B]);
  expect(named('ReceiveMessage').map(({ input }) => input.MaxNumberOfMessages)).toEqual([2, 1]);
});

test('gives what it holds when a further receive fails', async () => {
  const full = Array.from({ length: 10 }, (_, i) => sqsMessage(A, String(i)));
  expect((await openQueue([full, new Error('no network')]).queue.receive(20, 0)).length).toBe(1);
  await expect(openQueue([new Error('no network')]).queue.receive(20, 0)).rejects.toThrow('no network');
});

test('a receive ends though all that comes cannot be read', async () => {
  const nonsense = Array.from({ length: 10 }, (_, i) => sqsMessage(A, String(i), 1, 'nonsense'));
  const { queue, clock, named } = openQueue(Array.from({ length: 100 }, () => nonsense));
  expect(await clock.drive(queue.receive(20, 0))).toEqual([]);
  expect(named('ReceiveMessage').length).toBe(2);
});

test('what a poll brings after its receive was given up is made visible again', async () => {
  const answer = Promise.withResolvers<object>();
  const { client, calls } = fakeSqs((call) => (call.name === 'ReceiveMessage' ? {} : batchAnswer(call)));
  const slow = {
    send: async (command: object) => {
      const given = await client.send(command as never);
      return calls.length === 1 ? answer.promise : given;
    },
  } as typeof client;
  const { queue, clock } = openQueue([], { client: slow });
  const stopping = new AbortController();
  const receiving = queue.receive(10, 1000, stopping.signal);
  stopping.abort();
  expect(await receiving).toEqual([]);
  answer.resolve({ Messages: [sqsMessage(A, '1'), sqsMessage(A, '2')] });
  await clock.advance(0);
  expect(hidden(calls.slice(1))).toEqual([
    ['handle 2', 0],
    ['handle 1', 0],
  ]);
});

test('a throttled receive is made again', async () => {
  const { queue, clock } = openQueue([throttle(), [sqsMessage(A, '1')]]);
  expect((await clock.drive(queue.receive(5, 0)))?.length).toBe(1);
});

test('the lease counts from before the call', async () => {
  const { queue } = openQueue([[sqsMessage(A, '1')]], { visibilityMs: 1500 });
  expect((await queue.receive(5, 0))[0]).toMatchObject({ leaseUntil: T0 + 2000 });
});

test('acknowledges what is named, once, and tries single failures again', async () => {
  let isFailing = true;
  const { queue, clock, named } = openQueue([[1, 2, 3].map((n) => sqsMessage(A, String(n)))], {
    fails: ({ ReceiptHandle }) => (isFailing && ReceiptHandle === 'handle 2' ? 'InternalError' : undefined),
  });
  const [received] = await queue.receive(5, 0);
  const deleting = queue.acknowledge(received!, received!.deliveries.slice(0, 2));
  await clock.drive(new Promise((resolve) => setImmediate(resolve)));
  isFailing = false;
  await clock.drive(deleting);
  await queue.acknowledge(received!, received!.deliveries.slice(0, 2));
  const deleted = named('DeleteMessageBatch').map((call) =>
    entriesOf(call).map((entry) => entry.ReceiptHandle),
  );
  expect(deleted[0]).toEqual(['handle 1', 'handle 2']);
  expect(deleted.slice(1).every(([handle, ...others]) => handle === 'handle 2' && others.length === 0)).toBe(
    true,
  );
});

test.each(['ReceiptHandleIsInvalid', 'InvalidParameterValue', 'AWS.SimpleQueueService.MessageNotInflight'])(
  'a receipt that is no longer good (%s) is no error',
  async (code) => {
    const { queue, named } = openQueue([[sqsMessage(A, '1')]], { fails: () => code });
    const [received] = await queue.receive(5, 0);
    await queue.acknowledge(received!, received!.deliveries);
    expect(named('DeleteMessageBatch').length).toBe(1);
  },
);

test('parks all that is not acknowledged, the last one first, by whole seconds', async () => {
  const { queue, named } = openQueue([[1, 2, 3].map((n) => sqsMessage(A, String(n)))]);
  const [received] = await queue.receive(5, 0);
  await queue.acknowledge(received!, received!.deliveries.slice(0, 1));
  await queue.park(received!, 1001);
  expect(hidden(named('ChangeMessageVisibilityBatch'))).toEqual([
    ['handle 3', 2],
    ['handle 2', 2],
  ]);
  await queue.park(received!, 0);
  await queue.acknowledge(received!, received!.deliveries);
  expect(named('ChangeMessageVisibilityBatch').length + named('DeleteMessageBatch').length).toBe(2);
});

test('releases a host: it is locked for its rest, then what is left is removed, or comes back soon', async () => {
  const { queue, clock, named } = openQueue([[1, 2].map((n) => sqsMessage(A, String(n)))]);
  const [received] = await queue.receive(5, 0);
  await queue.acknowledge(received!, received!.deliveries.slice(0, 1));
  await queue.release(received!, 5000);
  expect(hidden(named('ChangeMessageVisibilityBatch'))).toEqual([['handle 2', 7]]);
  await clock.advance(4999);
  expect(named('DeleteMessageBatch')).toHaveLength(1);
  await clock.advance(1);
  expect(hidden(named('DeleteMessageBatch')).at(-1)).toEqual(['handle 2', undefined]);
});

test('hides no message for more than twelve hours from its receive', async () => {
  const { queue, clock, named } = openQueue([[sqsMessage(A, '1')]], { visibilityMs: 2 * HOUR_MS });
  const [received] = await queue.receive(5, 0);
  await clock.advance(HOUR_MS);
  await queue.park(received!, 24 * HOUR_MS);
  const [[, seconds]] = hidden(named('ChangeMessageVisibilityBatch')) as [[string, number]];
  expect(seconds + 3600).toBeLessThan(12 * 3600);
  expect(seconds).toBeGreaterThan(10 * 3600);
});

test('a lease that ran out does nothing any more', async () => {
  const { queue, clock, calls } = openQueue([[sqsMessage(A, '1')]]);
  const [received] = await queue.receive(5, 0);
  await clock.advance(VISIBILITY_MS);
  await queue.acknowledge(received!, received!.deliveries);
  await queue.park(received!, 0);
  expect(calls.map(({ name }) => name)).toEqual(['ReceiveMessage']);
});

test('a record that cannot be read is given to who takes care of it, and deleted', async () => {
  const heard: unknown[] = [];
  const { queue, named } = openQueue([[sqsMessage(A, '1', 1, 'nonsense'), sqsMessage(A, '2')]], {
    onCorrupt: async (record, error) => {
      heard.push(record.messageId, (error as Error).name);
    },
  });
  const [received] = await queue.receive(5, 0);
  expect(tokensOf(received!.deliveries)).toEqual(['2']);
  expect(heard).toEqual(['1', 'CorruptBytes']);
  expect(entriesOf(named('DeleteMessageBatch')[0]!)).toMatchObject([{ ReceiptHandle: 'handle 1' }]);
});

test('a record that nobody takes care of stays, and comes again soon', async () => {
  const refuse = async () => {
    throw new Error('the dead-letter queue is not there');
  };
  for (const onCorrupt of [undefined, refuse]) {
    const { queue, named } = openQueue([[sqsMessage(A, '1', 1, 'nonsense')]], { onCorrupt });
    expect(await queue.receive(5, 0)).toEqual([]);
    expect(named('DeleteMessageBatch')).toEqual([]);
    expect(hidden(named('ChangeMessageVisibilityBatch'))).toEqual([['handle 1', 1]]);
  }
});

test('a record of a newer version is hidden for minutes, and the others of its host are served', async () => {
  const newer = messageTexts(A, { kind: 'token', crawl: 'c', token: 't' }, 1e6)[0]!.split(' ');
  const bytes = Buffer.from(newer[1]!, 'base64');
  bytes[1] = 99;
  const text = `${newer[0]} ${bytes.toString('base64')}`;
  const heard: unknown[] = [];
  const { queue, named } = openQueue(
    [[sqsMessage(A, '1', 1, text), sqsMessage(A, '2'), sqsMessage(A, '3', 9, text)]],
    {
      onCorrupt: async () => Promise.reject(new Error('it is not damaged')),
      onNewer: ({ messageId }, error) => heard.push([messageId, error.name]),
    },
  );
  const [received] = await queue.receive(5, 0);
  expect(tokensOf(received!.deliveries)).toEqual(['2']);
  expect(heard).toEqual([
    ['1', 'NewerFormat'],
    ['3', 'NewerFormat'],
  ]);
  expect(named('DeleteMessageBatch')).toEqual([]);
  expect(hidden(named('ChangeMessageVisibilityBatch'))).toEqual([
    ['handle 1', 60],
    ['handle 3', 900],
  ]);
});

test('the link exchange sends nothing for no links, and deletes only what it received itself', async () => {
  const { client, calls } = fakeSqs((call) => batchAnswer(call));
  const exchange = createLinkExchange({
    client,
    queueUrl: 'http://sqs.test/links',
    clock: createFakeClock(),
  });
  await exchange.send({ crawl: CRAWL, links: [] });
  await exchange.acknowledge([
    { id: 'of an event', outLinks: { crawl: CRAWL, links: [linkTo('http://a.test/')] } },
  ]);
  expect(calls).toEqual([]);
});

test('counts visible, received and delayed messages', async () => {
  const { client } = fakeSqs(() => ({
    Attributes: {
      ApproximateNumberOfMessages: '1',
      ApproximateNumberOfMessagesNotVisible: '20',
      ApproximateNumberOfMessagesDelayed: '300',
    },
  }));
  expect(await countMessages(client, 'http://sqs.test/turns')).toBe(321);
});

test('a group goes to another process with its handles, for a whole lease by the clock of that one', async () => {
  const { queue } = openQueue([[sqsMessage(A, '1'), sqsMessage(A, '2')]]);
  const [received] = await queue.receive(1, 0);
  const packed = queue.pack!(received!)!;
  const other = openQueue([]);
  await other.clock.advance(HOUR_MS);
  const taken = (await other.queue.unpack!(JSON.parse(JSON.stringify(packed))))!;
  expect([taken.host, tokensOf(taken.deliveries)]).toEqual([A, ['1', '2']]);
  expect(taken.leaseUntil).toBe(other.clock.now() + VISIBILITY_MS);
  expect(hidden(other.named('ChangeMessageVisibilityBatch'))).toEqual([
    ['handle 1', 600],
    ['handle 2', 600],
  ]);
  await other.queue.acknowledge(taken, taken.deliveries);
  expect(other.named('DeleteMessageBatch').flatMap(entriesOf)).toHaveLength(2);
});

test('a group whose lease is over goes to nobody', async () => {
  const { queue, clock } = openQueue([[sqsMessage(A, '1')]]);
  const [received] = await queue.receive(1, 0);
  const packed = queue.pack!(received!)!;
  await clock.advance(VISIBILITY_MS);
  expect(queue.pack!(received!)).toBeUndefined();
  const other = openQueue([], { fails: () => 'ReceiptHandleIsInvalid' });
  expect(await other.queue.unpack!(packed)).toBeUndefined();
});
