/** The end of a transaction by the reasons that DynamoDB gives. */
import { expect, test } from 'vitest';
import { transact } from '../../../../shared/engines/aws/state/transact.ts';

const cancelled = (...codes: string[]) =>
  Object.assign(new Error('cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: codes.map((Code, i) => ({ Code, Item: { n: { N: String(i) } } })),
  });

function sending(...answers: (Error | undefined)[]) {
  let sent = 0;
  const dynamo = {
    async send() {
      const answer = answers[Math.min(sent++, answers.length - 1)];
      if (answer) throw answer;
      return {};
    },
  } as never;
  const clock = { sleep: async () => {}, random: () => 0 };
  return { result: () => transact({ dynamo, clock }, 'storing', []), count: () => sent };
}

test.each([
  ['all is written', [undefined], undefined, 1],
  ['conditions failed', [cancelled('None', 'ConditionalCheckFailed')], [1], 1],
  [
    'conditions failed and others are in conflict',
    [cancelled('TransactionConflict', 'ConditionalCheckFailed')],
    [1],
    1,
  ],
  ['it was in conflict at first', [cancelled('TransactionConflict', 'None'), undefined], undefined, 2],
  ['it was throttled at first', [cancelled('ThrottlingError'), undefined], undefined, 2],
])('%s', async (_, answers, failed, count) => {
  const sent = sending(...answers);
  const result = await sent.result();
  expect([result && [...result.keys()], sent.count()]).toEqual([failed, count]);
});

test.each([
  ['is in conflict for ever', cancelled('TransactionConflict'), 'storing: in conflict 8 times over', 8],
  ['is refused', cancelled('None', 'ValidationError'), 'cancelled', 1],
  ['cannot be sent', new Error('no connection'), 'no connection', 1],
])('one that %s fails', async (_, error, message, count) => {
  const sent = sending(error);
  await expect(sent.result()).rejects.toThrow(message);
  expect(sent.count()).toBe(count);
});
