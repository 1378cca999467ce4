/** A message that cannot be worked on reaches the dead letters, however busy their queue is. */
import { expect, test } from 'vitest';
import { createDeadLetter } from '../../functions/dead-letter.ts';
import { createFakeClock } from '../crawler/worker/fake-clock.ts';
import { fakeSqs, throttle } from '../engines/aws/queues/fake-sqs.ts';

const clock = { ...createFakeClock(), sleep: async () => {} };

test('a dead letter that the queue takes later is sent again, and its sender waits for it', async () => {
  const { client, calls } = fakeSqs((_, n) => (n < 3 ? throttle() : {}));
  const place = { group: 'a.test', id: 'm1' };
  await createDeadLetter({ client, queueUrl: 'dead', clock })('body', 'no reason', place);
  expect(calls).toHaveLength(3);
  expect(new Set(calls.map(({ input }) => JSON.stringify(input))).size).toBe(1);
  expect(calls[0]?.input).toMatchObject({
    QueueUrl: 'dead',
    MessageBody: 'body',
    MessageGroupId: 'a.test',
    MessageDeduplicationId: 'm1',
  });
});

test('one that cannot be sent fails: its message is to come again', async () => {
  const { client } = fakeSqs(() => new Error('no queue'));
  await expect(createDeadLetter({ client, queueUrl: 'dead', clock })('body', 'x')).rejects.toThrow(
    'no queue',
  );
});

test('one that is as large as the queue takes goes there without the reason', async () => {
  const tooLong = Object.assign(new Error('Message must be shorter than 1048576 bytes.'), {
    name: 'InvalidParameterValue',
  });
  const { client, calls } = fakeSqs(({ input }) => (input.MessageAttributes ? tooLong : {}));
  const body = 'x'.repeat(1024 * 1024);
  await createDeadLetter({ client, queueUrl: 'dead', clock })(body, 'neither JSON nor URLs');
  expect(calls.map(({ input }) => input.MessageBody === body)).toEqual([true, true]);
  expect(calls[1]?.input).not.toHaveProperty('MessageAttributes');
});
