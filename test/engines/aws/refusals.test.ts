/**
 * Tests of the refusals and failures of the AWS adapters, and of their messages: an error that is not thrown
 * would be a silent loss.
 */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { SIZES } from '../../../shared/core/base/sizes.ts';
import { scanObject } from '../../../shared/engines/aws/archive/compact-scan.ts';
import { deleteObjects } from '../../../shared/engines/aws/archive/delete-objects.ts';
import { readRange } from '../../../shared/engines/aws/archive/read-range.ts';
import { transientRetries } from '../../../shared/engines/aws/clients.ts';
import { createLinkExchange } from '../../../shared/engines/aws/queues/link-exchange.ts';
import { createCrawlDecoder, encodeCrawl } from '../../../shared/engines/aws/state/crawl-record.ts';
import { createPartStore } from '../../../shared/engines/aws/state/part-store.ts';
import { createRegistry } from '../../../shared/engines/aws/state/registry.ts';
import { RECORD } from '../../contract/subjects.ts';
import { createFakeClock } from '../../crawler/worker/fake-clock.ts';
import { fakeSqs } from './queues/fake-sqs.ts';

type Call = { readonly name: string; readonly input: Record<string, unknown> };

/** A client whose calls are answered so; an error is thrown. */
function clientOf<C>(answer: (call: Call) => unknown) {
  const calls: Call[] = [];
  const client = {
    async send(command: { readonly input: Record<string, unknown> }) {
      const call = { name: command.constructor.name, input: command.input };
      calls.push(call);
      const result = answer(call);
      if (result instanceof Error) throw result;
      return result;
    },
  };
  return { client: client as unknown as C, calls };
}

/** Time passes as soon as somebody waits. */
function impatientClock() {
  const clock = createFakeClock();
  return { ...clock, sleep: async () => {}, random: () => 0.5 };
}

describe('deleted objects', () => {
  const deleting = (
    errors: readonly ({ Key: string; Code: string; Message?: string }[] | undefined)[],
    keys = ['a', 'b'],
  ) => {
    let round = 0;
    const { client, calls } = clientOf<S3Client>(() => ({ Errors: errors[round++] }));
    const done = deleteObjects({ s3: client, bucket: 'b', clock: impatientClock() }, 'deleting', keys);
    return {
      done,
      keys: () =>
        calls.map(({ input }) =>
          (input.Delete as { Objects: { Key: string }[] }).Objects.map(({ Key }) => Key),
        ),
    };
  };

  test.each(['InternalError', 'SlowDown', 'ServiceUnavailable'])(
    'that S3 could not delete are tried again: %s',
    async (Code) => {
      const { done, keys } = deleting([[{ Key: 'b', Code }]]);
      await done;
      expect(keys()).toEqual([['a', 'b'], ['b']]);
    },
  );

  test('that are gone are done; what S3 refuses to delete is reported', async () => {
    const gone = deleting([[{ Key: 'b', Code: 'NoSuchKey' }]]);
    await gone.done;
    expect(gone.keys()).toEqual([['a', 'b']]);
    await expect(deleting([[{ Key: 'b', Code: 'AccessDenied', Message: 'no' }]]).done).rejects.toThrow(
      'S3 did not delete b: AccessDenied no',
    );
  });

  test('go a thousand at a time', async () => {
    const { done, keys } = deleting(
      [],
      Array.from({ length: 1001 }, (_, i) => String(i)),
    );
    await done;
    expect(keys().map(({ length }) => length)).toEqual([1000, 1]);
  });
});

describe('an object', () => {
  const folder = (client: S3Client) => ({
    s3: client,
    bucket: 'b',
    folder: 'f/',
    clock: impatientClock(),
    sizes: SIZES,
  });
  const bodyOf = (bytes: number) => ({ Body: { transformToByteArray: async () => new Uint8Array(bytes) } });

  test.each([
    [2, 3],
    [4, 3],
    [undefined, 3],
  ])('that gives %s bytes instead of %i is an error', async (given, wanted) => {
    const { client } = clientOf<S3Client>(() => (given === undefined ? {} : bodyOf(given)));
    await expect(readRange(folder(client), 'x', 10, 10 + wanted)).rejects.toThrow(
      `Expected 3 bytes of x from 10, got ${given}`,
    );
  });

  test('is requested its range, and for nothing where that is empty', async () => {
    const { client, calls } = clientOf<S3Client>(() => bodyOf(3));
    expect(await readRange(folder(client), 'x', 10, 13)).toHaveLength(3);
    expect(await readRange(folder(client), 'x', 10, 10)).toHaveLength(0);
    expect(calls.map(({ input }) => input)).toEqual([{ Bucket: 'b', Key: 'f/x', Range: 'bytes=10-12' }]);
  });

  test('is read again if the read is throttled', async () => {
    let calls = 0;
    const { client } = clientOf<S3Client>(() =>
      ++calls === 1 ? Object.assign(new Error('too fast'), { name: 'SlowDown' }) : bodyOf(3),
    );
    expect(await readRange(folder(client), 'x', 10, 13)).toHaveLength(3);
    expect(calls).toBe(2);
  });

  test('that is empty is no WARC file, and is not read', async () => {
    const { client, calls } = clientOf<S3Client>(() => bodyOf(0));
    const scan = await scanObject(
      folder(client),
      { file: 'x', bytes: 0 },
      { step: async () => {}, tables: true },
    );
    expect(scan).toEqual({ status: 'corrupt', problem: 'It is empty' });
    expect(calls).toEqual([]);
  });

  test('without a body is no part', async () => {
    const dynamo = clientOf<DynamoDBClient>(() => ({
      Item: { object: { S: 'k' }, size: { N: '9' } },
    })).client;
    const s3 = clientOf<S3Client>(() => ({})).client;
    const names = { urlSeen: 'U', bucket: 'b' };
    const store = createPartStore({ dynamo, s3, names, clock: impatientClock(), maxRowBytes: 1 });
    await expect(store.readPart('crawl', 'a.test', 'p')).rejects.toThrow(
      /^S3 gave no body for parts\/crawl\/[0-9a-f]{24}\/p$/,
    );
  });
});

describe('a change of a crawl', () => {
  const stored = encodeCrawl({ record: RECORD, version: 3, activeMs: 0 });
  const registryOf = (answer: (call: Call) => unknown) => {
    const { client, calls } = clientOf<DynamoDBClient>(answer);
    const registry = createRegistry({
      ...{
        dynamo: client,
        names: { crawlState: 'T' },
        clock: impatientClock(),
        hasMessages: async () => false,
      },
    });
    return { registry, calls };
  };
  const refused = new ConditionalCheckFailedException({ message: 'no', $metadata: {}, Item: {} });

  test('that is not there is refused by name', async () => {
    const { registry } = registryOf(() => ({}));
    await expect(registry.configure('news', {})).rejects.toThrow('there is no crawl news');
    await expect(registry.setStatus('news', 'paused')).rejects.toThrow('there is no crawl news');
  });

  test('that others always come before is given up after twenty rounds', async () => {
    const { registry, calls } = registryOf(({ name }) =>
      name === 'PutItemCommand' ? refused : { Item: stored },
    );
    await expect(registry.configure('news', {})).rejects.toThrow(
      'the crawl news is being changed by too many at once',
    );
    expect(calls.filter(({ name }) => name === 'PutItemCommand')).toHaveLength(20);
  });

  test('is made to the version that was read', async () => {
    const { registry, calls } = registryOf(() => ({ Item: stored }));
    await registry.configure('news', { maxPages: 5 });
    expect(calls.find(({ name }) => name === 'PutItemCommand')?.input).toMatchObject({
      Item: { version: { N: '4' } },
      ExpressionAttributeValues: { ':expected': { N: '3' } },
    });
  });

  test('that creates it a second time is refused by name', async () => {
    const cancelled = new TransactionCanceledException({
      message: 'no',
      $metadata: {},
      CancellationReasons: [{ Code: 'ConditionalCheckFailed', Item: {} }],
    });
    const { registry } = registryOf(({ name }) => (name === 'TransactWriteItemsCommand' ? cancelled : {}));
    await expect(registry.create('news', RECORD)).rejects.toThrow('there is a crawl news already');
  });
});

test('a text is sent to the router if it is as long as a message may be, and no longer', async () => {
  const { client, calls } = fakeSqs(() => ({ Successful: [{ Id: '0' }] }));
  const exchange = createLinkExchange({
    client,
    queueUrl: 'q',
    clock: impatientClock(),
    maxMessageBytes: 10,
  });
  await exchange.sendTexts(['ä23456789']);
  // The first that is too long is reported.
  await expect(exchange.sendTexts(['ok', 'ä234567890', 'ä2345678901'])).rejects.toThrow(
    'expected a message of at most 10 bytes, got 11',
  );
  expect(calls).toHaveLength(1);
});

test('a crawl is decoded again only when it was written', () => {
  const decode = createCrawlDecoder();
  const item = (nonce: string | undefined, maxPages: number) => ({
    ...encodeCrawl({ record: { ...RECORD, config: { maxPages } }, version: 1, activeMs: 0 }),
    ...(nonce !== undefined && { nonce: { S: nonce } }),
  });
  const pagesOf = (...parameters: Parameters<typeof decode>) => decode(...parameters).record.config.maxPages;
  const first = decode('news', item('1', 5));
  expect(decode('news', item('1', 6))).toBe(first);
  expect(pagesOf('other', item('1', 7))).toBe(7);
  expect(pagesOf('news', item('2', 8))).toBe(8);
  expect([pagesOf('news', item(undefined, 9)), pagesOf('news', item(undefined, 10))]).toEqual([9, 10]);
});

describe('the retries of the SDK', () => {
  const retries = transientRetries({ random: () => 1 });
  const transient = { errorType: 'TRANSIENT' } as const;

  test('are two, after waits that grow', async () => {
    const first = await retries.acquireInitialRetryToken('');
    const second = await retries.refreshRetryTokenForRetry(first, transient);
    const third = await retries.refreshRetryTokenForRetry(second, transient);
    expect([first, second, third].map((token) => [token.getRetryCount(), token.getRetryDelay()])).toEqual([
      [0, 0],
      [1, 200],
      [2, 400],
    ]);
    await expect(retries.refreshRetryTokenForRetry(third, transient)).rejects.toThrow('no more attempts');
  });

  test.each(['THROTTLING', 'SERVER_ERROR', 'CLIENT_ERROR'] as const)('are not for %s', async (errorType) => {
    const token = await retries.acquireInitialRetryToken('');
    await expect(retries.refreshRetryTokenForRetry(token, { errorType })).rejects.toThrow('no more attempts');
  });
});
