import { expect, test } from 'vitest';
import { createLinkExchange } from '../../../../shared/engines/aws/queues/link-exchange.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { fakeSqs } from './fake-sqs.ts';

test.each([
  [undefined, 300],
  [1000, 1],
  [1500, 2],
  [2001, 3],
])('parcels are hidden for at least the visibility of %s ms: for %s s', async (visibilityMs, seconds) => {
  const { client, calls } = fakeSqs(() => ({}));
  const exchange = createLinkExchange({
    client,
    queueUrl: 'http://sqs.test/links',
    clock: createFakeClock(),
    ...(visibilityMs !== undefined && { visibilityMs }),
  });
  expect(await exchange.receive(10, 0)).toEqual([]);
  expect(calls.map(({ input }) => input.VisibilityTimeout)).toEqual([seconds]);
});
