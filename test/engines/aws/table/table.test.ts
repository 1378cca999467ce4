/** Items of a table: what is sent to DynamoDB, and what becomes of a write by its answer. */
import { describe, expect, test } from 'vitest';
import { N, S } from '../../../../shared/engines/aws/table/item.ts';
import {
  type Change,
  type Condition,
  deleteItem,
  deleteOf,
  getItem,
  putItem,
  putOf,
  updateItem,
  updateOf,
} from '../../../../shared/engines/aws/table/table.ts';
import { createServices, key } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { throttling } from '../throttled.ts';

const KEY = key('p', 's');

/** A table over the model. `isRepeated`: the SDK makes each call again, as if the first one's answer was lost. */
function open(isRepeated = false) {
  const { clients } = createServices();
  const inputs: object[] = [];
  const dynamo = {
    async send(command: { readonly input: object }) {
      inputs.push(command.input);
      if (isRepeated) await clients.dynamo.send(command as never).catch(() => {});
      return clients.dynamo.send(command as never);
    },
  } as unknown as typeof clients.dynamo;
  const clock = { ...createFakeClock(), sleep: async () => {} };
  const plain = { dynamo: clients.dynamo, clock, table: 'T' };
  return { table: { ...plain, dynamo }, plain, inputs };
}

test('an item is read as it was written last, or for half the price', async () => {
  const { table, inputs } = open();
  expect(await getItem(table, KEY)).toBeUndefined();
  await putItem(table, { ...KEY, n: N(1) });
  expect(await getItem(table, KEY)).toEqual({ ...KEY, n: N(1) });
  await getItem(table, KEY, { isConsistent: false });
  expect(inputs.flatMap((input) => ('ConsistentRead' in input ? input.ConsistentRead : []))).toEqual([
    true,
    true,
    false,
  ]);
});

const UPDATE = {
  update: 'SET #state = :to, n = :n REMOVE old',
  condition: '#state = :from OR attribute_not_exists(#state)',
  values: { to: S('x'), n: N(1), from: S('y'), other: S('z') },
};

test('names and values are those that the expressions use, and no others', () => {
  const table = { table: 'T' } as never;
  const condition = { ConditionExpression: 'a = :a', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
  const when = { condition: 'a = :a', values: { a: S('1'), b: S('2') } };
  expect(updateOf(table, KEY, UPDATE).Update).toEqual({
    TableName: 'T',
    Key: KEY,
    UpdateExpression: UPDATE.update,
    ConditionExpression: UPDATE.condition,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':to': S('x'), ':n': N(1), ':from': S('y') },
  });
  const named: Change = { update: 'ADD #0 :0', names: { 0: 'n.pages' }, values: { 0: N(2) } };
  expect(updateOf(table, KEY, named).Update).toEqual({
    TableName: 'T',
    Key: KEY,
    UpdateExpression: 'ADD #0 :0',
    ExpressionAttributeNames: { '#0': 'n.pages' },
    ExpressionAttributeValues: { ':0': N(2) },
  });
  expect(putOf(table, KEY, when).Put).toEqual({
    ...{ TableName: 'T', Item: KEY, ...condition },
    ExpressionAttributeValues: { ':a': S('1') },
  });
  expect(deleteOf(table, KEY, when).Delete).toEqual({
    ...{ TableName: 'T', Key: KEY, ...condition },
    ExpressionAttributeValues: { ':a': S('1') },
  });
  expect(putOf(table, KEY).Put).toEqual({ TableName: 'T', Item: KEY });
  expect(deleteOf(table, KEY).Delete).toEqual({ TableName: 'T', Key: KEY });
});

test('an update returns the new item, and a put the old one, if requested', async () => {
  const { table } = open();
  expect(await updateItem(table, KEY, UPDATE, 'ALL_NEW')).toEqual({
    isWritten: true,
    returned: { ...KEY, state: S('x'), n: N(1) },
  });
  expect(await putItem(table, KEY, undefined, 'ALL_OLD')).toEqual({
    isWritten: true,
    returned: { ...KEY, state: S('x'), n: N(1) },
  });
  expect(await updateItem(table, KEY, UPDATE)).toEqual({ isWritten: true });
});

describe('a write whose condition does not hold', () => {
  const when: Condition = {
    condition: 'attribute_not_exists(pk) OR by = :before',
    values: { before: S('b') },
  };
  const mine = { ...KEY, by: S('me') };
  const isOurs: Condition['isOurs'] = ({ by }) => by?.S === 'me';

  test('changes nothing, and finds the stored item', async () => {
    const { table } = open();
    await putItem(table, { ...KEY, by: S('other') });
    const found = { ...KEY, by: S('other') };
    expect(await putItem(table, mine, { ...when, isOurs })).toEqual({ isWritten: false, found });
    expect(await deleteItem(table, KEY, { ...when, isOurs })).toEqual({ isWritten: false, found });
    const change = { update: 'SET n = :before', ...when, isOurs };
    expect(await updateItem(table, KEY, change)).toEqual({ isWritten: false, found });
    expect(await getItem(table, KEY)).toEqual(found);
  });

  test('counts as made if the item shows that it was made before, and only then', async () => {
    const { table, plain } = open(true);
    expect(await putItem(table, mine, { ...when, isOurs })).toEqual({ isWritten: true, found: mine });
    expect(await putItem(table, mine, when)).toEqual({ isWritten: false, found: mine });
    await putItem(plain, { ...KEY, by: S('b') });
    const change = { update: 'SET by = :me', ...when, values: { ...when.values, me: S('me') } };
    expect(await updateItem(table, KEY, { ...change, isOurs })).toEqual({ isWritten: true, found: mine });
    expect(await deleteItem(plain, KEY, { ...when, isOurs })).toEqual({ isWritten: true, found: mine });
  });

  test('is not our own where there is no item', async () => {
    const { table } = open();
    const gone: Condition = { condition: 'attribute_exists(pk)', isOurs: () => true };
    expect(await deleteItem(table, KEY, gone)).toEqual({ isWritten: false, found: undefined });
  });
});

test('a call that is refused for its rate is made again, and any other error is thrown', async () => {
  const { plain } = open();
  const busy = { ...plain, dynamo: throttling(plain.dynamo) };
  expect(await putItem(busy, { ...KEY, n: N(1) })).toEqual({ isWritten: true });
  await updateItem(busy, KEY, { update: 'SET n = :n', values: { n: N(2) } });
  expect(await getItem(busy, KEY)).toEqual({ ...KEY, n: N(2) });
  await deleteItem(busy, KEY);
  expect(await getItem(plain, KEY)).toBeUndefined();
  const away = { ...plain, dynamo: { send: () => Promise.reject(new Error('away')) } as never };
  for (const call of [getItem(away, KEY), putItem(away, KEY), deleteItem(away, KEY)])
    await expect(call).rejects.toThrow('away');
  const refusing = {
    send: () => Promise.reject(Object.assign(new Error('slow'), { name: 'ThrottlingException' })),
  };
  await expect(putItem({ ...plain, dynamo: refusing as never }, KEY)).rejects.toThrow(
    'writing T: throttled 8 times over',
  );
  await expect(getItem({ ...plain, dynamo: refusing as never }, KEY)).rejects.toThrow(
    'reading T: throttled 8 times over',
  );
});
