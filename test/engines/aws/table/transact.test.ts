/** The end of a transaction by the reasons that DynamoDB gives. */
import { expect, test } from 'vitest';
import { S } from '../../../../shared/engines/aws/table/item.ts';
import { deleteOf, putOf } from '../../../../shared/engines/aws/table/table.ts';
import { transact } from '../../../../shared/engines/aws/table/transact.ts';

const cancelled = (...codes: string[]) =>
  Object.assign(new Error('cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: codes.map((Code, i) => ({ Code, Item: { n: { N: String(i) } } })),
  });

/** The first one knows what it has written itself: the item 0. */
const WRITES = [
  putOf(
    { table: 'T' } as never,
    { pk: S('a') },
    { condition: 'x = :x', values: { x: S('x') }, isOurs: ({ n }) => n?.N === '0' },
  ),
  deleteOf({ table: 'T' } as never, { pk: S('b') }, { condition: 'attribute_exists(pk)' }),
];

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
  return { result: () => transact({ dynamo, clock, table: 'T' }, WRITES), count: () => sent };
}

test.each([
  ['all is written', [undefined], true, 1],
  ['conditions failed', [cancelled('None', 'ConditionalCheckFailed')], false, 1],
  [
    'conditions failed and others are in conflict',
    [cancelled('TransactionConflict', 'ConditionalCheckFailed')],
    false,
    1,
  ],
  ['an item is our own', [cancelled('ConditionalCheckFailed', 'None')], true, 1],
  ['an item is our own, and its condition holds', [cancelled('None', 'ConditionalCheckFailed')], false, 1],
  ['it was in conflict at first', [cancelled('TransactionConflict', 'None'), undefined], true, 2],
  ['it was throttled at first', [cancelled('ThrottlingError'), undefined], true, 2],
])('%s', async (_, answers, isWritten, count) => {
  const sent = sending(...answers);
  expect([await sent.result(), sent.count()]).toEqual([isWritten, count]);
});

test.each([
  ['is in conflict for ever', cancelled('TransactionConflict'), 'writing T: in conflict 8 times over', 8],
  ['is refused', cancelled('None', 'ValidationError'), 'cancelled', 1],
  ['cannot be sent', new Error('no connection'), 'no connection', 1],
])('one that %s fails', async (_, error, message, count) => {
  const sent = sending(error);
  await expect(sent.result()).rejects.toThrow(message);
  expect(sent.count()).toBe(count);
});
