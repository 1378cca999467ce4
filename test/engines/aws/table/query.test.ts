/** Partitions of a table, read page by page. */
import { expect, test } from 'vitest';
import { putItems } from '../../../../shared/engines/aws/table/batch.ts';
import { type Query, queryItems, queryPage } from '../../../../shared/engines/aws/table/query.ts';
import { createServices, key } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { throttled } from '../throttled.ts';

/** A table with `p a1`, `p a2`, `p b`, `p c`, `q d`, and the inputs of its queries. */
async function open() {
  const { clients } = createServices();
  const inputs: { readonly ConsistentRead?: boolean }[] = [];
  const clock = { ...createFakeClock(), sleep: async () => {} };
  const items = ['a1', 'a2', 'b', 'c'].map((sort) => key('p', sort));
  await putItems({ dynamo: clients.dynamo, clock, table: 'T' }, [...items, key('q', 'd')]);
  const { client, refused } = throttled(clients.dynamo);
  const dynamo = {
    send(command: { readonly input: object }) {
      inputs.push(command.input);
      return client.send(command as never);
    },
  } as unknown as typeof clients.dynamo;
  return { table: { dynamo, clock, table: 'T' }, inputs, refused };
}

async function sortsOf(query: Query): Promise<(string | undefined)[]> {
  const { table } = await open();
  const sorts: (string | undefined)[] = [];
  for await (const { sk } of queryItems(table, query)) sorts.push(sk?.S);
  return sorts;
}

test.each<[string, Omit<Query, 'partition'>, readonly string[]]>([
  ['all, however many pages they are', { limit: 1 }, ['a1', 'a2', 'b', 'c']],
  ['those with a prefix', { prefix: 'a' }, ['a1', 'a2']],
  ['those before a sort key', { bound: ['<', 'b'] }, ['a1', 'a2']],
  ['those after a sort key', { bound: ['>', 'a2'] }, ['b', 'c']],
  ['none', { prefix: 'd' }, []],
])('the items of a partition: %s', async (_, query, expected) => {
  expect(await sortsOf({ partition: 'p', ...query })).toEqual(expected);
});

test('each page is read again while it is throttled, and no page that the caller does not need', async () => {
  const { table, inputs, refused } = await open();
  const items = queryItems(table, { partition: 'p', limit: 1, attributes: 'sk' });
  expect((await items.next()).value).toEqual({ sk: { S: 'a1' } });
  expect((await items.next()).value).toEqual({ sk: { S: 'a2' } });
  expect([inputs.length, refused.length]).toEqual([4, 2]);
});

test('a page says where the next one begins', async () => {
  const { table } = await open();
  const query = { partition: 'p', limit: 3 };
  const first = await queryPage(table, query, undefined);
  expect([first.items.map(({ sk }) => sk?.S), first.next]).toEqual([['a1', 'a2', 'b'], 'b']);
  const second = await queryPage(table, query, first.next);
  expect([second.items.map(({ sk }) => sk?.S), second.next]).toEqual([['c'], undefined]);
});

test('items are read consistently unless the caller wants them for half the price', async () => {
  const { table, inputs } = await open();
  for await (const _ of queryItems(table, { partition: 'p' }));
  for await (const _ of queryItems(table, { partition: 'p', isConsistent: false }));
  expect(inputs.map(({ ConsistentRead }) => ConsistentRead)).toEqual([true, true, undefined, undefined]);
});
