import { expect, test } from 'vitest';
import { createNewerLog, createUnreadHandlers } from '../../functions/unread-messages.ts';
import { CorruptBytes, NewerFormat } from '../../shared/core/frontier/bytes.ts';
import { createFakeClock } from '../crawler/worker/fake-clock.ts';
import { fakeSqs } from '../engines/aws/queues/fake-sqs.ts';

const RECORD = {
  messageId: 'm1',
  receiptHandle: 'handle',
  body: 'nonsense',
  attributes: { MessageGroupId: 'a.test' },
};

function setUp(answer: () => object = () => ({})) {
  const logged: object[] = [];
  const announced: string[] = [];
  const { client, calls } = fakeSqs(answer);
  const clock = createFakeClock();
  const log = (level: string, fields: object) => void logged.push({ level, ...fields });
  const handlers = createUnreadHandlers({
    log,
    reportNewer: createNewerLog({ log, announce: (cause) => announced.push(cause) }),
    deadLetters: () => ({ client, queueUrl: 'dead.fifo', clock }),
  });
  return { ...handlers, logged, announced, calls };
}

test('a damaged message becomes a dead letter of its host, with one log line that names it', async () => {
  const { onCorrupt, logged, calls } = setUp();
  await onCorrupt(RECORD, new CorruptBytes('base64 expected'));
  expect(calls.map(({ input }) => input)).toMatchObject([
    {
      QueueUrl: 'dead.fifo',
      MessageBody: 'nonsense',
      MessageGroupId: 'a.test',
      MessageDeduplicationId: 'm1',
      MessageAttributes: { reason: { StringValue: 'base64 expected' } },
    },
  ]);
  expect(logged).toEqual([
    {
      level: 'error',
      message: 'A damaged message goes to the dead letters',
      host: 'a.test',
      id: 'm1',
      reason: 'base64 expected',
    },
  ]);
});

test('a damaged message that cannot be put aside stays, and the log says so', async () => {
  const { onCorrupt, logged } = setUp(() => new Error('no queue'));
  await expect(onCorrupt(RECORD, new CorruptBytes('base64 expected'))).rejects.toThrow('no queue');
  expect(logged).toMatchObject([{ level: 'error', id: 'm1', reason: 'base64 expected', cause: 'no queue' }]);
});

test('what a newer version has sent is logged once, and reported to the operator each time', () => {
  const { onNewer, logged, announced } = setUp();
  for (let i = 0; i < 3; i++)
    onNewer(RECORD, new NewerFormat('message version 3: this program knows 1 to 2'));
  expect(logged).toMatchObject([
    { level: 'warn', host: 'a.test', id: 'm1', cause: 'message version 3: this program knows 1 to 2' },
  ]);
  expect(announced).toEqual([1, 2, 3].map(() => 'message version 3: this program knows 1 to 2'));
});
