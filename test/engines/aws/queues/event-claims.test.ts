import { expect, test } from 'vitest';
import { createEventClaims } from '../../../../shared/engines/aws/queues/event-claims.ts';
import { createServices } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock, T0 } from '../../../worker/fake-clock.ts';

function open() {
  const { clients, dynamo } = createServices();
  const options = { dynamo: clients.dynamo, table: 'T', clock: createFakeClock() };
  return { options, clients, claim: createEventClaims(options), items: () => [...dynamo.items('T')] };
}

test('of several claims of one receipt handle the first one wins, in any process', async () => {
  const { claim, options } = open();
  const other = createEventClaims(options);
  expect(await claim('handle 1')).toBe(true);
  expect([await claim('handle 1'), await other('handle 1')]).toEqual([false, false]);
  expect(await other('handle 2')).toBe(true);
});

test('one of two claims at the same moment wins', async () => {
  const { claim } = open();
  const won = await Promise.all([claim('handle'), claim('handle'), claim('handle')]);
  expect(won.filter(Boolean)).toHaveLength(1);
});

test('a claim whose answer was lost is known to be its own when the call is repeated', async () => {
  const { options, clients } = open();
  // As the SDK does it, within one call.
  const client = {
    send: async (command: never) => {
      await clients.dynamo.send(command);
      return clients.dynamo.send(command);
    },
  };
  const claim = createEventClaims({ ...options, dynamo: client as unknown as typeof clients.dynamo });
  expect(await claim('handle')).toBe(true);
});

test('a claim is deleted by DynamoDB a day later, when no receipt handle is good any more', async () => {
  const { claim, items } = open();
  await claim('handle');
  expect(items().map(({ expiresAt }) => expiresAt)).toEqual([{ N: String(T0 / 1000 + 86_400) }]);
});
