/** The end of a transaction by the reasons that DynamoDB gives. */
import { expect, test } from 'vitest';
import { S } from '../../../../shared/engines/aws/table/item.ts';
import { deleteOf, putOf, updateOf } from '../../../../shared/engines/aws/table/table.ts';
import { transact } from '../../../../shared/engines/aws/table/transact.ts';

const cancelled = (...codes: string[]) =>
  Object.assign(new Error('cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: codes.map((Code, i) => ({ Code, Item: { n: { N: String(i) } } })),
  });

const TABLE = { table: 'T' } as never;
const KEY = { pk: S('a') };
/** Each but the last one knows its own item: that of its number. */
const WRITES = [
  putOf(TABLE, KEY, { condition: 'x = y', isOurs: ({ n }) => n?.N === '0' }),
  updateOf(TABLE, KEY, { update: 'REMOVE x', condition: 'x = y', isOurs: ({ n }) => n?.N === '1' }),
  deleteOf(TABLE, KEY, { condition: 'x = y', isOurs: ({ n }) => n?.N === '2' }),
  deleteOf(TABLE, KEY, { condition: 'x = y' }),
];

function sending(...answers: (Error | undefined)[]) {
  const waits: number[] = [];
  let sent = 0;
  const dynamo = {
    async send() {
      const answer = answers[Math.min(sent++, answers.length - 1)];
      if (answer) throw answer;
      return {};
    },
  } as never;
  const clock = { sleep: async (ms: number) => void waits.push(ms), random: () => 1 };
  return { result: () => transact({ dynamo, clock, table: 'T' }, WRITES), count: () => sent, waits };
}

const FAILED = 'ConditionalCheckFailed';
const throttle = Object.assign(new Error('slower'), { name: 'ThrottlingException' });
test.each<[string, (Error | undefined)[], boolean, number[]]>([
  ['all is written', [undefined], true, []],
  ['a condition does not hold', [cancelled('None', 'None', 'None', FAILED)], false, []],
  [
    'a condition does not hold, and others are in conflict',
    [cancelled('TransactionConflict', 'None', 'None', FAILED)],
    false,
    [],
  ],
  ['the item of a put is our own', [cancelled(FAILED, 'None')], true, []],
  ['the item of an update is our own', [cancelled('None', FAILED, 'None', FAILED)], true, []],
  ['the item of a deletion is our own', [cancelled('None', 'None', FAILED)], true, []],
  ['it was in conflict at first', [cancelled('TransactionConflict', 'None'), undefined], true, [100]],
  ['an item was throttled', [cancelled('ThrottlingError'), undefined], true, [100]],
  ['a table was throttled', [cancelled('ProvisionedThroughputExceeded'), undefined], true, [100]],
  ['the call was refused for its rate', [throttle, undefined], true, [100]],
])('%s', async (_, answers, isWritten, waits) => {
  const sent = sending(...answers);
  expect([await sent.result(), sent.count(), sent.waits]).toEqual([isWritten, answers.length, waits]);
});

test.each([
  ['is in conflict for ever', cancelled('TransactionConflict'), 'writing T: in conflict 8 times over', 8],
  ['is refused', cancelled('None', 'ValidationError'), 'cancelled', 1],
  ['cannot be sent', new Error('no connection'), 'no connection', 1],
])('one that %s fails', async (_, error, message, count) => {
  const sent = sending(error);
  await expect(sent.result()).rejects.toThrow(message);
  // No wait that nothing follows.
  expect([sent.count(), sent.waits.length]).toEqual([count, count - 1]);
});
