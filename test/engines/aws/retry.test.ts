import { expect, test } from 'vitest';
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
