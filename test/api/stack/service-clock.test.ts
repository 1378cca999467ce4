/** The time that an operator's command stores, on a machine whose clock is wrong. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, test } from 'vitest';
import { serviceClock } from '../../../api/stack/service-clock.ts';
import { loadDeletion, noteStopped } from '../../../shared/engines/aws/deletion/deletions.ts';

const HOUR_MS = 3_600_000;

let server: Server | undefined;
let client: DynamoDBClient | undefined;

afterEach(() => {
  client?.destroy();
  server?.close();
});

/** A table whose service has the time of this machine and `aheadMs` more. Returns the bodies of its requests, too. */
async function openTable(aheadMs: number) {
  const bodies: string[] = [];
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    bodies.push(body);
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString());
    response.end('{}');
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 's' },
  });
  return { bodies, table: { dynamo: client, table: 'state', clock: serviceClock(client) } };
}

test.each([HOUR_MS, -HOUR_MS])(
  'a deletion is noted by the time of AWS, which is %d ms ahead',
  async (aheadMs) => {
    const { bodies, table } = await openTable(aheadMs);
    await loadDeletion(table, 'news');
    await noteStopped(table, 'news');
    const { ExpressionAttributeValues } = JSON.parse(bodies.at(-1) ?? '');
    const stoppedAt = Number(ExpressionAttributeValues[':now'].N);
    expect(Math.abs(stoppedAt - (Date.now() + aheadMs))).toBeLessThan(10_000);
  },
);

test('a clock that is right, but for the seconds that an answer takes, is left as it is', async () => {
  const config = { systemClockOffset: -4000 };
  const clock = serviceClock({ config }, { ...(await openTable(0)).table.clock, now: () => 1_000_000 });
  expect(clock.now()).toBe(1_000_000);
  config.systemClockOffset = 60_000;
  expect(clock.now()).toBe(1_060_000);
  config.systemClockOffset = 58_800;
  expect(clock.now()).toBe(1_060_000);
  config.systemClockOffset = 0;
  expect(clock.now()).toBe(1_000_000);
});
