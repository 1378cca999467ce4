import { describe, expect, it } from 'vitest';
import { queueWorld } from './sqs-world.ts';

const SEEDS = Array.from({ length: 20 }, (_, i) => i);
const texts = (received: ReadonlyMap<string, string>) => [...received.keys()];

describe('a FIFO queue, as recorded on AWS', () => {
  it('locks a group while any of its messages is in flight, also for what is sent later', () => {
    const { send, receiveAll, remove } = queueWorld();
    send('a1');
    const first = receiveAll();
    send('a2', 'b1');
    expect(texts(receiveAll())).toEqual(['b1']);
    remove(first.get('a1'));
    expect(texts(receiveAll())).toEqual(['a2']);
  });

  it('frees a group when the visibility ends', async () => {
    const { time, send, receiveAll } = queueWorld();
    send('a1', 'a2');
    receiveAll();
    await time.advance(29_999);
    expect(texts(receiveAll())).toEqual([]);
    await time.advance(1);
    expect(texts(receiveAll())[0]).toBe('a1');
  });

  it('gives several of a group and several groups in one receive, each group in order', () => {
    const sizes = new Set<number>();
    for (const seed of SEEDS) {
      const { send, receive } = queueWorld({ seed });
      send('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
      const bodies = receive().map(({ Body }) => Body);
      sizes.add(bodies.length);
      for (const group of ['a', 'b', 'c']) {
        const own = bodies.filter((body) => body.startsWith(group));
        expect(own).toEqual(own.map((_, i) => `${group}${i + 1}`));
      }
    }
    expect([...sizes].some((size) => size === 6)).toBe(true);
    expect(sizes.size).toBeGreaterThan(2);
  });

  it.each([
    {
      what: 'extending the first hides the whole group',
      index: 0,
      seconds: 60,
      after: 30,
      back: [],
      later: ['a1', 'a2', 'a3'],
    },
    {
      what: 'extending the second brings back the first alone',
      index: 1,
      seconds: 60,
      after: 30,
      back: ['a1'],
      later: ['a2', 'a3'],
    },
    {
      what: 'extending the last brings back those before it',
      index: 2,
      seconds: 60,
      after: 30,
      back: ['a1', 'a2'],
      later: ['a3'],
    },
    {
      what: 'shortening the first brings back the first alone',
      index: 0,
      seconds: 1,
      after: 1,
      back: ['a1'],
      later: [],
    },
  ])('$what', async ({ index, seconds, after, back, later }) => {
    const { time, send, receive, receiveAll, hide, remove } = queueWorld();
    send('a1', 'a2', 'a3');
    const handles = await wholeGroup(receive, hide, 3);
    hide(seconds, handles[index]);
    await time.advance(after * 1000);
    const received = receiveAll();
    expect(texts(received)).toEqual(back);
    if (back.length > 0) remove(...received.values());
    if (later.length === 0) return;
    await time.advance((seconds - after) * 1000);
    expect(texts(receiveAll())).toEqual(later);
  });

  it('keeps a group blocked after a partial delete, and no other', () => {
    const { send, receive, receiveAll, remove, hide } = queueWorld();
    send('a1', 'a2', 'a3');
    const [first, ...rest] = wholeGroup(receive, hide, 3);
    send('b1', 'b2', 'c1');
    remove(first);
    const others = receiveAll();
    expect(texts(others).toSorted()).toEqual(['b1', 'b2', 'c1']);
    remove(...rest);
    expect(texts(receiveAll())).toEqual([]);
    send('a4');
    expect(texts(receiveAll())).toEqual(['a4']);
  });

  it('refuses to delete or to hide after the visibility has ended', async () => {
    const { time, send, receiveAll, remove, hide } = queueWorld();
    send('a1');
    const handle = receiveAll().get('a1');
    await time.advance(30_000);
    const expired = {
      Code: 'InvalidParameterValue',
      SenderFault: true,
      Message: expect.stringContaining('expired'),
    };
    expect(remove(handle)).toEqual({ Failed: [{ Id: '0', ...expired }] });
    expect(hide(10, handle)).toEqual({ Failed: [{ Id: '0', ...expired }] });
    const again = receiveAll().get('a1');
    expect(remove(handle).Failed).toHaveLength(1);
    expect(remove(again)).toEqual({ Successful: [{ Id: '0' }] });
    // Again what is gone: nothing to object to.
    expect(remove(again)).toEqual({ Successful: [{ Id: '0' }] });
    expect(hide(10, again).Failed).toMatchObject([{ Code: 'InvalidParameterValue' }]);
  });

  it('hides a message for 12 hours from its receive at most, however often that is extended', async () => {
    const { time, send, receiveAll, hide } = queueWorld();
    send('a1');
    const handle = receiveAll().get('a1');
    await time.advance(1);
    expect(hide(43_200, handle).Failed).toMatchObject([{ Code: 'InvalidParameterValue' }]);
    expect(hide(40_000, handle).Failed).toBeUndefined();
    await time.advance(39_000_000);
    expect(hide(10_000, handle).Failed).toHaveLength(1);
    expect(hide(4000, handle).Failed).toBeUndefined();
    await time.advance(4_000_000);
    const next = receiveAll().get('a1');
    expect(hide(40_000, next).Failed).toBeUndefined();
  });

  it('drops what is sent again to the group within 5 minutes, also after it was deleted', async () => {
    const { time, batch, receiveAll, remove } = queueWorld();
    const send = (group: string) =>
      batch('SendMessage', [
        { MessageBody: `${group}1`, MessageGroupId: group, MessageDeduplicationId: 'same' },
      ]);
    const first = send('a').Successful?.[0]?.MessageId;
    remove(receiveAll().get('a1'));
    await time.advance(299_999);
    expect(send('a').Successful?.[0]?.MessageId).toBe(first);
    expect(texts(receiveAll())).toEqual([]);
    send('b');
    expect(texts(receiveAll())).toEqual(['b1']);
    await time.advance(1);
    send('a');
    expect(texts(receiveAll())).toContain('a1');
  });

  it('looks for free groups among its first messages only', () => {
    const { send, receive, receiveAll, remove } = queueWorld({ limits: { lookAhead: 4 } });
    send('a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1');
    const [first] = receive({ MaxNumberOfMessages: 1 });
    // All that it looks at is of a locked group.
    expect(receive()).toEqual([]);
    remove(first?.ReceiptHandle);
    const [second] = receive({ MaxNumberOfMessages: 1 });
    expect(receive()).toEqual([]);
    remove(second?.ReceiptHandle);
    const third = texts(receiveAll());
    expect(third).toContain('a3');
    expect(third).toContain('b1');
    expect(third).not.toContain('c1');
  });

  it('gives nothing above the limit of messages in flight', async () => {
    const { time, send, receiveAll, remove } = queueWorld({ limits: { inFlight: 3 } });
    send('a1', 'b1', 'c1', 'd1', 'e1');
    const received = receiveAll();
    expect(received.size).toBe(3);
    remove(received.values().next().value);
    expect(receiveAll().size).toBe(1);
    await time.advance(30_000);
    expect(receiveAll().size).toBe(3);
  });

  it('gives up messages that were received too often, and the rest of the group continues', async () => {
    const { time, sqs, deadUrl } = queueWorld();
    const QueueUrl = sqs.createQueue({
      name: 'short.fifo',
      isFifo: true,
      visibilityS: 1,
      deadLetter: { queueUrl: deadUrl, maxReceives: 2 },
    });
    const send = (text: string) =>
      sqs.handle('SendMessageCommand', {
        QueueUrl,
        MessageBody: text,
        MessageGroupId: 'a',
        MessageDeduplicationId: text,
      });
    send('a1');
    for (let i = 0; i < 2; i++) {
      expect(sqs.receive(QueueUrl, 1).map(({ body }) => body)).toEqual(['a1']);
      await time.advance(1000);
    }
    send('a2');
    expect(sqs.receive(QueueUrl, 10).map(({ body }) => body)).toEqual(['a2']);
    expect([...sqs.messages(deadUrl)]).toMatchObject([{ id: 'short.fifo:1', body: 'a1', group: 'a' }]);
    expect(sqs.receive(deadUrl, 10).map(({ body }) => body)).toEqual(['a1']);
  });

  it('gives what comes into its view as it gives up others, in the same receive', async () => {
    for (const seed of SEEDS) {
      const { time, sqs, deadUrl } = queueWorld({ seed, limits: { lookAhead: 3 } });
      const QueueUrl = sqs.createQueue({
        name: 'short.fifo',
        isFifo: true,
        visibilityS: 1,
        deadLetter: { queueUrl: deadUrl, maxReceives: 1 },
      });
      const send = (text: string) =>
        sqs.handle('SendMessageCommand', {
          QueueUrl,
          MessageBody: text,
          MessageGroupId: text[0],
          MessageDeduplicationId: text,
        });
      for (const text of ['a1', 'b1', 'c1', 'c2', 'a2']) send(text);
      for (let left = 3; left > 0; )
        for (const { body, receiptHandle } of sqs.receive(QueueUrl, 10)) {
          left--;
          if (body !== 'c1') continue;
          sqs.handle('ChangeMessageVisibilityCommand', {
            QueueUrl,
            ReceiptHandle: receiptHandle,
            VisibilityTimeout: 60,
          });
        }
      await time.advance(1000);
      expect(sqs.receive(QueueUrl, 1).map(({ body }) => body)).toEqual(['a2']);
    }
  });

  it('forgets messages after its retention', async () => {
    const { time, sqs, QueueUrl, send, receiveAll } = queueWorld({ retentionS: 60 });
    send('a1');
    receiveAll();
    await time.advance(30_000);
    send('a2', 'b1');
    await time.advance(30_000);
    expect([...sqs.messages(QueueUrl)].map(({ body }) => body)).toEqual(['a2', 'b1']);
    expect(texts(receiveAll()).toSorted()).toEqual(['a2', 'b1']);
  });

  it('delays messages by as much as the queue says', async () => {
    const { time, sqs, QueueUrl, send, receiveAll } = queueWorld({ delayS: 5 });
    send('a1');
    expect(sqs.size(QueueUrl)).toEqual({ visible: 0, inFlight: 0, delayed: 1 });
    await time.advance(4999);
    expect(texts(receiveAll())).toEqual([]);
    await time.advance(1);
    expect(texts(receiveAll())).toEqual(['a1']);
  });

  it('gives the same messages to a receive that is tried again, hidden again', async () => {
    const { time, send, receive, receiveAll, remove } = queueWorld();
    send('a1', 'b1');
    const attempt = {
      ReceiveRequestAttemptId: 'x',
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    };
    const first = receive(attempt);
    expect(first[0]?.Attributes).toEqual({ ApproximateReceiveCount: '1' });
    await time.advance(20_000);
    expect(receive(attempt)).toEqual(first);
    await time.advance(20_000);
    // Those of the attempt are still hidden.
    expect(texts(receiveAll())).toEqual(['a1', 'b1'].slice(first.length));
    remove(...first.map(({ ReceiptHandle }) => ReceiptHandle));
    send('c1');
    expect(receive(attempt).map(({ Body }) => Body)).toEqual(['c1']);
  });

  it('has what follows a late message wait for it', async () => {
    const { time, counts, striking, send, receiveAll } = queueWorld({ always: ['messageLate'] });
    send('a1');
    striking.clear();
    send('a2', 'b1');
    expect(texts(receiveAll())).toEqual(['b1']);
    await time.advance(25_000);
    expect(texts(receiveAll())[0]).toBe('a1');
    expect(counts.messageLate).toBe(1);
  });
});

/** Receives a group of that many whole, for 30 s: a receive may give fewer, and is then repeated. */
function wholeGroup(
  receive: () => readonly { readonly ReceiptHandle: string }[],
  hide: (seconds: number, ...handles: string[]) => object,
  size: number,
): string[] {
  for (;;) {
    const handles = receive().map(({ ReceiptHandle }) => ReceiptHandle);
    if (handles.length === size) return handles;
    hide(0, ...handles);
  }
}
