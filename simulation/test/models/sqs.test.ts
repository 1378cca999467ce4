import { describe, expect, it } from 'vitest';
import { countMessages } from '../../../shared/engines/aws/queues/sqs-queue.ts';
import { type Answer, queueWorld } from './sqs-world.ts';

const bodies = (answer: Answer) => (answer.Messages ?? []).map(({ Body }) => Body);

describe('a standard queue', () => {
  it('takes a late delete, and gives no order', async () => {
    const { time, send, receiveAll, remove } = queueWorld({ isFifo: false });
    send('a1');
    const handle = receiveAll().get('a1');
    await time.advance(30_000);
    expect(remove(handle)).toEqual({ Successful: [{ Id: '0' }] });
    expect(receiveAll().size).toBe(0);
  });

  it('may leave a message that was received again since, whatever the old handle says', async () => {
    const left = new Set<number>();
    for (let seed = 0; seed < 20; seed++) {
      const { time, sqs, QueueUrl, send, receiveAll, remove } = queueWorld({ seed, isFifo: false });
      send('a1');
      const handle = receiveAll().get('a1');
      await time.advance(30_000);
      receiveAll();
      expect(remove(handle).Failed).toBeUndefined();
      left.add(sqs.size(QueueUrl).inFlight);
    }
    expect(left).toEqual(new Set([0, 1]));
  });

  it('gives a deleted message once more, if that fault strikes', async () => {
    const { time, counts, send, receiveAll, remove, striking } = queueWorld({ isFifo: false });
    send('a1');
    const handle = receiveAll().get('a1');
    striking.add('messageTwice');
    remove(handle);
    striking.clear();
    await time.advance(60_000);
    remove(receiveAll().get('a1'));
    await time.advance(60_000);
    expect(receiveAll().size).toBe(0);
    expect(counts.messageTwice).toBe(1);
  });

  it('gives a message to two receivers, if that fault strikes', async () => {
    const { time, send, receive, striking } = queueWorld({ isFifo: false, always: ['messageTwice'] });
    send('a1');
    expect(receive()).toHaveLength(1);
    striking.clear();
    await time.advance(2000);
    expect(receive()).toHaveLength(1);
    await time.advance(2000);
    expect(receive()).toHaveLength(0);
  });

  it('gives messages in another order, if that fault strikes', () => {
    const { send, receive, counts, striking } = queueWorld({ isFifo: false });
    send('1', '2', '3', '4');
    striking.add('messageReordered');
    const [first] = receive({ MaxNumberOfMessages: 1 });
    expect(first?.Body).not.toBe('1');
    expect(counts.messageReordered).toBe(1);
  });

  it('refuses to hide what is not in flight', async () => {
    const { time, send, receiveAll, hide } = queueWorld({ isFifo: false });
    send('a1');
    const handle = receiveAll().get('a1');
    expect(hide(60, handle).Failed).toBeUndefined();
    await time.advance(60_000);
    expect(hide(60, handle).Failed).toMatchObject([{ Code: 'MessageNotInflight' }]);
  });

  it('gives up messages that were received too often', async () => {
    const world = queueWorld({ isFifo: false });
    const { time, sqs, deadUrl } = world;
    const QueueUrl = sqs.createQueue({
      name: 'short',
      isFifo: false,
      visibilityS: 1,
      deadLetter: { queueUrl: deadUrl, maxReceives: 1 },
    });
    const bodies: string[] = [];
    sqs.onArrival(deadUrl, () => bodies.push(...sqs.receive(deadUrl, 10).map(({ body }) => body)));
    world.call('SendMessage', { QueueUrl, MessageBody: 'a1' });
    expect(sqs.receive(QueueUrl, 10)).toHaveLength(1);
    await time.advance(1000);
    expect(sqs.receive(QueueUrl, 10)).toHaveLength(0);
    expect(bodies).toEqual(['a1']);
  });
});

describe('a call of SQS', () => {
  it('waits for a message as long as it was asked to', async () => {
    const { time, call, send } = queueWorld();
    const started = time.now();
    const poll = (WaitTimeSeconds: number) =>
      (call('ReceiveMessage', { WaitTimeSeconds }) as unknown as Promise<Answer>).then((answer) => ({
        bodies: bodies(answer),
        ms: time.now() - started,
      }));
    const polls = [poll(3), poll(20), poll(20)];
    await time.advance(5000);
    send('a1');
    await time.advance(60_000);
    expect(await Promise.all(polls)).toEqual([
      { bodies: [], ms: 3000 },
      { bodies: ['a1'], ms: 5000 },
      { bodies: [], ms: 20_000 },
    ]);
  });

  it('ends a poll when a group is freed by a delete, and when a visibility ends', async () => {
    const { time, call, send, receive, remove } = queueWorld();
    const poll = () => call('ReceiveMessage', { WaitTimeSeconds: 20 }) as unknown as Promise<Answer>;
    send('a1');
    const [first] = receive();
    send('a2');
    const second = poll();
    await time.advance(1000);
    remove(first?.ReceiptHandle);
    await time.advance(1);
    expect(bodies(await second)).toEqual(['a2']);
    await time.advance(15_000);
    const third = poll();
    await time.advance(14_999);
    expect(bodies(await third)).toEqual(['a2']);
  });

  it('notifies listeners of arrivals, and costs idle queues nothing', async () => {
    const { time, sqs, QueueUrl, send } = queueWorld();
    const at: number[] = [];
    const started = time.now();
    const end = sqs.onArrival(QueueUrl, () => {
      at.push(time.now() - started);
      sqs.receive(QueueUrl, 10);
    });
    await time.advance(1000);
    send('a1');
    await time.advance(100_000);
    expect(at).toEqual([1000, 31_000, 61_000, 91_000]);
    end();
    await time.advance(100_000);
    expect(at).toHaveLength(4);
  });

  it.each([
    { what: 'an empty batch', name: 'EmptyBatchRequest', entries: [] },
    {
      what: 'more than 10 entries',
      name: 'TooManyEntriesInBatchRequest',
      entries: Array.from({ length: 11 }, (_, i) => ({ Id: String(i), MessageBody: 'x' })),
    },
    { what: 'equal ids', name: 'BatchEntryIdsNotDistinct', entries: [{ Id: '0' }, { Id: '0' }] },
    {
      what: 'no group',
      name: 'MissingParameter',
      entries: [{ MessageBody: 'x', MessageDeduplicationId: '1' }],
    },
    {
      what: 'no deduplication id',
      name: 'InvalidParameterValue',
      entries: [{ MessageBody: 'x', MessageGroupId: 'a' }],
    },
    {
      what: 'more than 1 MiB in all',
      name: 'BatchRequestTooLong',
      entries: ['1', '2'].map((Id) => ({
        Id,
        MessageBody: 'é'.repeat(300_000),
        MessageGroupId: 'a',
        MessageDeduplicationId: Id,
      })),
    },
  ])('refuses $what as a whole', ({ name, entries }) => {
    const { sqs, QueueUrl, batch } = queueWorld();
    expect(() => batch('SendMessage', entries)).toThrow(expect.objectContaining({ name, $fault: 'client' }));
    expect([...sqs.messages(QueueUrl)]).toEqual([]);
  });

  it('refuses a handle that is none, and a delay of a single message of a FIFO queue', () => {
    const { batch, remove } = queueWorld();
    expect(remove('nonsense').Failed).toMatchObject([{ Code: 'ReceiptHandleIsInvalid', SenderFault: true }]);
    expect(
      batch('SendMessage', [
        { MessageBody: 'x', MessageGroupId: 'a', MessageDeduplicationId: '1', DelaySeconds: 1 },
        { MessageBody: 'y', MessageGroupId: 'a', MessageDeduplicationId: '2', DelaySeconds: 0 },
      ]),
    ).toMatchObject({ Failed: [{ Id: '0', Code: 'InvalidParameterValue' }], Successful: [{ Id: '1' }] });
  });

  it('lets single entries fail without effect, if that fault strikes', () => {
    const { sqs, QueueUrl, send, counts } = queueWorld({ always: ['batchEntryFails'] });
    expect(send('a1', 'a2').Failed).toMatchObject([
      { Id: '0', Code: 'InternalError', SenderFault: false },
      { Id: '1', Code: 'InternalError', SenderFault: false },
    ]);
    expect([...sqs.messages(QueueUrl)]).toEqual([]);
    expect(counts.batchEntryFails).toBe(2);
  });

  it('knows no queue but those made', () => {
    const { sqs } = queueWorld();
    expect(() => sqs.handle('ReceiveMessageCommand', { QueueUrl: 'https://sqs/none' })).toThrow(
      expect.objectContaining({ name: 'QueueDoesNotExist' }),
    );
  });

  it('counts approximately: what was there up to a minute ago, if that fault strikes', async () => {
    const { time, sqs, QueueUrl, send, receiveAll, remove, counts, striking } = queueWorld();
    const client = {
      send: async (command: { input: object }) => sqs.handle('GetQueueAttributesCommand', command.input),
    };
    const count = () => countMessages(client as never, QueueUrl);
    send('a1', 'b1');
    await time.advance(2000);
    const received = receiveAll();
    expect(await count()).toBe(2);
    await time.advance(2000);
    remove(...received.values());
    expect(await count()).toBe(0);
    striking.add('staleRead');
    expect(await count()).toBe(2);
    await time.advance(60_000);
    expect(await count()).toBe(0);
    expect(counts.staleRead).toBe(1);
  });

  it('leaves a trace by host', () => {
    const { send, receiveAll, remove, traced } = queueWorld();
    send('a1');
    remove(receiveAll().get('a1'));
    expect(traced).toEqual([
      { host: 'a', what: 'sent queue.fifo:1' },
      { host: 'a', what: 'received queue.fifo:1 for 30 s' },
      { host: 'a', what: 'deleted: queue.fifo:1' },
    ]);
  });
});
