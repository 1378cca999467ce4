/** Tests of the savings by gathering the requests of many turns that end at about the same time. */
import { expect, test } from 'vitest';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import type { TurnQueue } from '../../../../shared/crawler/ports/turn-queue.ts';
import { groupIdOf, messageTexts } from '../../../../shared/engines/aws/queues/message-text.ts';
import { createTurnQueue } from '../../../../shared/engines/aws/queues/turn-queue.ts';
import { token } from '../../../contract/subjects.ts';
import { createFakeClock, seededRandom } from '../../../crawler/worker/fake-clock.ts';
import { batchAnswer, entriesOf, fakeSqs } from './fake-sqs.ts';

const HOSTS = 50;

/** A queue that gives each of the hosts once; each of its requests takes 10 ms. */
function openQueue(gather: { sendGatherMs?: number; settleGatherMs?: number }) {
  const clock = createFakeClock();
  const left = Array.from({ length: HOSTS }, (_, i) => `h${i}.test`);
  const { client, calls } = fakeSqs((call) => {
    if (call.name !== 'ReceiveMessage') return batchAnswer(call);
    const Messages = left.splice(0, call.input.MaxNumberOfMessages as number).map((host) => ({
      MessageId: host,
      ReceiptHandle: `handle of ${host}`,
      Body: messageTexts(host, token('1'), SIZES.maxMessageBytes)[0],
      Attributes: { ApproximateReceiveCount: '1', MessageGroupId: groupIdOf(host) },
    }));
    return { Messages };
  });
  const slow = {
    async send(command: object) {
      await clock.sleep(10);
      return client.send(command as never);
    },
  } as typeof client;
  const queue = createTurnQueue({
    client: slow,
    queueUrl: 'http://sqs.test/turns.fifo',
    clock,
    visibilityMs: 600_000,
    ...gather,
  });
  return { clock, queue, calls };
}

/**
 * All hosts' turns, each of which ends at some time within `withinMs`; gives the requests, and what they
 * held.
 */
async function requestsOf(gather: Parameters<typeof openQueue>[0], withinMs: number) {
  const { clock, queue, calls } = openQueue(gather);
  const random = seededRandom(7);
  const turn = async (received: Awaited<ReturnType<TurnQueue['receive']>>[number], i: number) => {
    await clock.sleep(1 + random() * withinMs);
    await queue.send([{ host: received.host, message: token('2') }]);
    if (i % 5 === 0) await queue.park(received, 1000);
    else await queue.acknowledge(received, received.deliveries);
  };
  const turns = queue.receive(HOSTS, 0).then((groups) => Promise.all(groups.map(turn)));
  await clock.drive(turns);
  const of = (name: string) => calls.filter((call) => call.name === name);
  const [sends, deletes, hides] = [
    'SendMessageBatch',
    'DeleteMessageBatch',
    'ChangeMessageVisibilityBatch',
  ].map(of);
  expect(sends!.flatMap(entriesOf).length).toBe(HOSTS);
  expect(deletes!.flatMap(entriesOf).length).toBe(HOSTS * 0.8);
  expect(hides!.flatMap(entriesOf).length).toBe(HOSTS * 0.2);
  return { sends: sends!.length, deletes: deletes!.length, hides: hides!.length };
}

const GATHERED = { sendGatherMs: 50, settleGatherMs: 200 };
const sumOf = (requests: Record<string, number>) => Object.values(requests).reduce((a, b) => a + b, 0);

test('fifty turns that end together take an eighth of the requests, and none of them waits long', async () => {
  const alone = await requestsOf({}, 0);
  expect(alone).toEqual({ sends: 50, deletes: 40, hides: 10 });
  expect(sumOf(await requestsOf(GATHERED, 0))).toBeLessThanOrEqual(sumOf(alone) / 8);
});

test('spread over a second, they take less than half', async () => {
  const { sends, deletes } = await requestsOf(GATHERED, 1000);
  expect(sends).toBeLessThan(25);
  expect(deletes).toBeLessThan(10);
});
