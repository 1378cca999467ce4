import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { transientRetries } from '../../../shared/engines/aws/clients.ts';
import { isThrottle, isThrottleCode, RETRY_ATTEMPTS, withRetry } from '../../../shared/engines/aws/retry.ts';
import { createFakeClock, T0 } from '../../crawler/worker/fake-clock.ts';
import { throttle } from './queues/fake-sqs.ts';

test('a throttled call is made again, after a wait that grows, until it succeeds', async () => {
  const clock = createFakeClock();
  const times: number[] = [];
  const call = async () => {
    times.push(clock.now() - T0);
    if (times.length < 5) throw throttle();
    return 'done';
  };
  expect(await clock.drive(withRetry('PutItem', call, { clock }))).toBe('done');
  const waits = times.slice(1).map((time, i) => time - times[i]!);
  expect(times.length).toBe(5);
  waits.forEach((wait, i) => {
    expect(wait).toBeLessThanOrEqual(100 * 2 ** i);
  });
});

test('a call throttled again and again fails with its name and the cause', async () => {
  const clock = createFakeClock();
  let calls = 0;
  const call = async () => {
    calls++;
    throw throttle('ThrottlingException');
  };
  const failure = withRetry('PutItem', call, { clock }).catch((error) => error);
  expect(await clock.drive(failure)).toMatchObject({
    message: `PutItem: throttled ${RETRY_ATTEMPTS} times over`,
    cause: { name: 'ThrottlingException' },
  });
  expect(calls).toBe(RETRY_ATTEMPTS);
});

test('any other error is thrown at once, as it came', async () => {
  const error = Object.assign(new Error('no'), { name: 'ConditionalCheckFailedException' });
  const clock = createFakeClock();
  await expect(withRetry('PutItem', () => Promise.reject(error), { clock })).rejects.toBe(error);
});

test('no call is made again once the signal is aborted', async () => {
  const stopping = new AbortController();
  let calls = 0;
  const call = async () => {
    calls++;
    stopping.abort();
    throw throttle();
  };
  const clock = createFakeClock();
  await expect(withRetry('x', call, { clock, signal: stopping.signal })).rejects.toThrow('slower, please');
  expect(calls).toBe(1);
});

test('knows throttles by name, with the prefix of a service, by status and by the mark of the SDK', () => {
  expect(isThrottleCode('KMS.ThrottlingException')).toBe(true);
  expect(isThrottleCode('AWS.SimpleQueueService.RequestThrottled')).toBe(true);
  expect(isThrottleCode('InternalError')).toBe(false);
  expect(isThrottleCode(undefined)).toBe(false);
  const error = new Error('x');
  expect(isThrottle(error)).toBe(false);
  expect(isThrottle('SlowDown')).toBe(false);
  expect(isThrottle(Object.assign(new Error('x'), { $metadata: { httpStatusCode: 429 } }))).toBe(true);
  expect(isThrottle(Object.assign(new Error('x'), { $retryable: { throttling: true } }))).toBe(true);
});

test('a HEAD that S3 refuses for its rate, by a 503 without a body, is made again eight times and no more', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.writeHead(503, { 'Content-Type': 'application/xml' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const s3 = new S3Client({
    region: 'us-east-1',
    credentials,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    retryStrategy: transientRetries({ random: () => 0 }),
  });
  const clock = createFakeClock();
  const call = () => s3.send(new HeadObjectCommand({ Bucket: 'bucket', Key: 'key' }));
  const noWait = { ...clock, sleep: async () => {} };
  try {
    await expect(withRetry('looking', call, { clock: noWait })).rejects.toThrow('looking: throttled 8 times');
    expect(requests).toBe(RETRY_ATTEMPTS);
  } finally {
    s3.destroy();
    server.close();
  }
});
