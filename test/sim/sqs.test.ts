import { describe, expect, it } from 'vitest';
import { NO_FAULTS } from '../../shared/engines/sim/faults.ts';
import { randomOf } from '../../shared/engines/sim/random.ts';
import { createSimSqs, type QueueLimits } from '../../shared/engines/sim/sqs.ts';
import { createVirtualTime } from '../../shared/engines/sim/virtual-time.ts';

function world(limits: Partial<QueueLimits> = {}) {
  const time = createVirtualTime(randomOf(1, 'ties'));
  const sqs = createSimSqs({ time, faults: NO_FAULTS, random: randomOf(1, 'sqs'), limits });
  const QueueUrl = sqs.createQueue({ name: 'q.fifo', isFifo: true, visibilityS: 30 });
  let sent = 0;
  const send = (group: string, ...bodies: string[]) =>
    sqs.handle('SendMessageBatchCommand', {
      QueueUrl,
      Entries: bodies.map((MessageBody, i) => ({
        Id: String(i),
        MessageBody,
        MessageGroupId: group,
        MessageDeduplicationId: String(++sent),
      })),
    });
  return { time, sqs, QueueUrl, send };
}

describe('SQS as modelled', () => {
  it('ends a long poll when a message arrives', async () => {
    const { time, sqs, QueueUrl, send } = world();
    const polling = sqs.handle('ReceiveMessageCommand', { QueueUrl, WaitTimeSeconds: 20 }) as Promise<object>;
    await time.advance(5000);
    send('a', '1');
    expect(await polling).toMatchObject({ Messages: [{ Body: '1' }] });
  });
});
