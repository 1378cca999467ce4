import { describe, expect, test } from 'vitest';
import { anyMessages } from '../../../../shared/engines/aws/queues/any-messages.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { fakeSqs, type SqsCall, throttle } from './fake-sqs.ts';

const QUEUES = Array.from({ length: 35 }, (_, n) => `https://sqs.test/1/q${n}`);
type Counts = Readonly<Record<string, string>>;

async function ask(attributesOf: (queue: string, n: number) => Counts | Error) {
  const { client, calls } = fakeSqs(({ input }: SqsCall, n) => {
    const answer = attributesOf(String(input.QueueUrl), n);
    return answer instanceof Error ? answer : { Attributes: answer };
  });
  const clock = createFakeClock();
  const asked = anyMessages(client, QUEUES, clock);
  await clock.advance(60_000);
  return { is: await asked, asked: calls.map(({ input }) => input.QueueUrl) };
}

describe('whether any queue keeps messages', () => {
  test('is asked of all, if none does', async () => {
    expect(await ask(() => ({ ApproximateNumberOfMessages: '0' }))).toEqual({ is: false, asked: QUEUES });
  });

  test.each(['', 'NotVisible', 'Delayed'])(
    'is so by one message: ApproximateNumberOfMessages%s',
    async (kind) => {
      const last = QUEUES.at(-1);
      const { is } = await ask(
        (queue): Counts => (queue === last ? { [`ApproximateNumberOfMessages${kind}`]: '1' } : {}),
      );
      expect(is).toBe(true);
    },
  );

  test('is asked of no more once one of the first does', async () => {
    const { is, asked } = await ask((queue) => ({
      ApproximateNumberOfMessages: queue === QUEUES[3] ? '7' : '0',
    }));
    expect([is, asked.length]).toEqual([true, 10]);
  });

  test('is asked again where SQS throttles', async () => {
    const { is, asked } = await ask((_, n) => (n === 5 ? throttle() : {}));
    expect([is, asked.length]).toEqual([false, QUEUES.length + 1]);
  });
});
