/** Batch calls of DynamoDB, whose entries stay unprocessed one by one. */
import { expect, test } from 'vitest';
import { deleteItems, getItems, inBatches, putItems } from '../../../../shared/engines/aws/table/batch.ts';
import { createServices, key, often } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock, T0 } from '../../../crawler/worker/fake-clock.ts';
import { throttling } from '../throttled.ts';

/** Calls `inBatches` with a sender that leaves some entries of each batch unprocessed. */
async function send(entries: number, most: number, leavesOver: (batch: number[], call: number) => number[]) {
  const clock = createFakeClock();
  const batches: number[][] = [];
  const done = inBatches(
    { clock },
    { what: 'writing T', entries: Array.from({ length: entries }, (_, i) => i), maxEntries: most },
    async (batch) => {
      batches.push(batch);
      return leavesOver(batch, batches.length);
    },
  );
  const outcome = await clock.drive(
    done.then(
      () => 'done' as const,
      (error: Error) => error.message,
    ),
  );
  return { outcome, batches, waitedMs: clock.now() - T0 };
}

test('entries go in batches as large as they may be, without a wait', async () => {
  const { batches, waitedMs } = await send(5, 2, () => []);
  expect(batches).toEqual([[0, 1], [2, 3], [4]]);
  expect(waitedMs).toBe(0);
});

test('what is left over goes first in the next batch, after a wait', async () => {
  const { batches, waitedMs } = await send(4, 2, (batch, call) => (call === 1 ? batch.slice(1) : []));
  expect(batches).toEqual([[0, 1], [1, 2], [3]]);
  expect(waitedMs).toBeGreaterThan(0);
});

test('eight calls in a row that do nothing end it with an error that says how many entries are left', async () => {
  const { outcome, batches } = await send(3, 2, (batch) => batch);
  expect(outcome).toBe('writing T: 3 entries were never processed');
  expect(batches).toHaveLength(8);
});

test('any progress begins the count again', async () => {
  const { outcome } = await send(10, 10, (batch, call) => (call % 7 === 0 ? batch.slice(1) : batch));
  expect(outcome).toBe('done');
});

test('over the model of DynamoDB nothing is missing and nothing twice, however much stays unprocessed', async () => {
  const { clients, dynamo } = createServices(often('unprocessedKeys'));
  const clock = createFakeClock();
  const context = { dynamo: clients.dynamo, clock, table: 'T' };
  const keys = Array.from({ length: 130 }, (_, i) => key('p', `s${i}`));
  await clock.drive(putItems(context, keys));
  expect([...dynamo.items('T')]).toHaveLength(130);
  const found = (await clock.drive(getItems(context, [...keys, key('p', 'missing')]))) ?? [];
  expect(found.map(({ sk }) => sk?.S).sort()).toEqual(keys.map(({ sk }) => sk.S).sort());
  await clock.drive(deleteItems(context, keys.slice(1)));
  expect([...dynamo.items('T')]).toHaveLength(1);
});

test('items are read as they were written last', async () => {
  const { clients } = createServices();
  const inputs: { RequestItems?: Record<string, { ConsistentRead?: boolean; Keys?: unknown[] }> }[] = [];
  const dynamo = {
    send(command: { input: (typeof inputs)[number] }) {
      inputs.push(command.input);
      return clients.dynamo.send(command as never);
    },
  } as unknown as typeof clients.dynamo;
  const clock = createFakeClock();
  const keys = Array.from({ length: 130 }, (_, i) => key('p', `s${i}`));
  await clock.drive(getItems({ dynamo, clock, table: 'T' }, keys));
  expect(inputs.map(({ RequestItems }) => RequestItems?.T?.ConsistentRead)).toEqual([true, true]);
});

test('a batch that is refused for its rate is sent again', async () => {
  const { clients } = createServices();
  const clock = createFakeClock();
  const context = { dynamo: throttling(clients.dynamo), clock, table: 'T' };
  const keys = Array.from({ length: 30 }, (_, i) => key('p', `s${i}`));
  await clock.drive(putItems(context, keys));
  expect(await clock.drive(getItems(context, keys))).toHaveLength(30);
});

test('keys and writes that DynamoDB leaves unprocessed are sent again, those alone', async () => {
  const sent: unknown[] = [];
  const dynamo = {
    async send({ input }: { input: { RequestItems: Record<string, never> } }) {
      const requests = input.RequestItems.T as unknown as { Keys?: unknown[] } | unknown[];
      const entries = Array.isArray(requests) ? requests : (requests.Keys ?? []);
      sent.push(entries);
      const left = sent.length % 2 === 1 ? entries.slice(1) : [];
      return Array.isArray(requests)
        ? { UnprocessedItems: left.length > 0 ? { T: left } : {} }
        : {
            Responses: { T: entries.slice(0, entries.length - left.length) },
            UnprocessedKeys: { T: { Keys: left } },
          };
    },
  } as never;
  const clock = createFakeClock();
  const keys = [key('p', 'a'), key('p', 'b'), key('p', 'c')];
  expect(await clock.drive(getItems({ dynamo, clock, table: 'T' }, keys))).toEqual(keys);
  const requests = keys.map((Item) => ({ PutRequest: { Item } }));
  await clock.drive(putItems({ dynamo, clock, table: 'T' }, keys));
  expect(sent).toEqual([keys, keys.slice(1), requests, requests.slice(1)]);
});

test('an answer without any of what it may have is one of nothing', async () => {
  const clock = createFakeClock();
  const dynamo = { send: async () => ({}) } as never;
  expect(await clock.drive(getItems({ dynamo, clock, table: 'T' }, [key('p', 'a')]))).toEqual([]);
  await clock.drive(deleteItems({ dynamo, clock, table: 'T' }, [key('p', 'a')]));
  const other = { send: async () => ({ Responses: {}, UnprocessedKeys: {}, UnprocessedItems: {} }) } as never;
  expect(await clock.drive(getItems({ dynamo: other, clock, table: 'T' }, [key('p', 'a')]))).toEqual([]);
  await clock.drive(deleteItems({ dynamo: other, clock, table: 'T' }, [key('p', 'a')]));
});
