/**
 * Tests of the units for which an attempt is billed; and that the meter counts attempts, with the SDK's own
 * clients.
 */
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import {
  type Attempt,
  billedUnits,
  callName,
  polledRequests,
  takesReturnConsumedCapacity,
} from '../../../../shared/engines/aws/cost/billed-units.ts';
import { createMeter } from '../../../../shared/engines/aws/cost/meter.ts';
import type { Usage } from '../../../../shared/engines/aws/cost/prices.ts';

const FIFO = { QueueUrl: 'https://sqs.test/1/turns.fifo' };
const STANDARD = { QueueUrl: 'https://sqs.test/1/links' };
const KB64 = 'x'.repeat(64 * 1024);

const errorOf = (name: string, httpStatusCode?: number, more = {}) =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode }, ...more });

const attempt = (
  clientName: string,
  command: string,
  rest: Partial<Pick<Attempt, 'input' | 'output' | 'error'>>,
): Attempt => ({ clientName: `${clientName}Client`, commandName: `${command}Command`, input: {}, ...rest });

describe('requests of SQS', () => {
  test.each<[string, object, object | undefined, Usage]>([
    ['ReceiveMessage', FIFO, {}, { sqsFifoRequests: 1 }],
    ['ReceiveMessage', STANDARD, { Messages: [{ Body: KB64 }, { Body: 'y' }] }, { sqsStandardRequests: 2 }],
    ['SendMessageBatch', { ...FIFO, Entries: [{ MessageBody: KB64 }] }, {}, { sqsFifoRequests: 1 }],
    [
      'SendMessageBatch',
      { ...FIFO, Entries: [{ MessageBody: KB64 }, { MessageBody: KB64 }, { MessageBody: 'é' }] },
      {},
      { sqsFifoRequests: 3 },
    ],
    ['SendMessage', { ...STANDARD, MessageBody: `${KB64}x` }, {}, { sqsStandardRequests: 2 }],
    ['DeleteMessageBatch', { ...FIFO, Entries: [{ Id: '0' }, { Id: '1' }] }, {}, { sqsFifoRequests: 1 }],
    ['GetQueueAttributes', STANDARD, {}, { sqsStandardRequests: 1 }],
  ])('%s, case %#', (command, input, output, usage) => {
    expect(billedUnits(attempt('SQS', command, { input, output }))).toEqual(usage);
  });

  test('an event costs the poller’s receive, by its size, and its delete', () => {
    expect(polledRequests(['{}', '{}'])).toBe(2);
    expect(polledRequests([KB64, 'x'])).toBe(3);
  });
});

describe('requests of S3', () => {
  test.each<[string, Usage]>([
    ['PutObject', { s3Puts: 1 }],
    ['CreateMultipartUpload', { s3Puts: 1 }],
    ['UploadPart', { s3Puts: 1 }],
    ['UploadPartCopy', { s3Puts: 1 }],
    ['CompleteMultipartUpload', { s3Puts: 1 }],
    ['CopyObject', { s3Puts: 1 }],
    ['ListObjectsV2', { s3Puts: 1 }],
    ['GetObject', { s3Gets: 1 }],
    ['HeadObject', { s3Gets: 1 }],
    ['DeleteObject', {}],
    ['DeleteObjects', { s3Puts: 1 }],
    ['AbortMultipartUpload', {}],
  ])('%s', (command, usage) => {
    expect(billedUnits(attempt('S3', command, { output: {} }))).toEqual(usage);
  });
});

describe('units of DynamoDB', () => {
  const put = { TableName: 't', Item: { pk: { S: 'x'.repeat(3000) }, n: { N: '1234' } } };

  test.each<[string, string, Parameters<typeof attempt>[2], Usage]>([
    [
      'as the response says',
      'PutItem',
      { output: { ConsumedCapacity: { CapacityUnits: 3 } } },
      { dynamoWriteUnits: 3 },
    ],
    [
      'half ones, too',
      'Query',
      { output: { ConsumedCapacity: { CapacityUnits: 0.5 } } },
      { dynamoReadUnits: 0.5 },
    ],
    [
      'of all tables of a batch',
      'BatchGetItem',
      { output: { ConsumedCapacity: [{ CapacityUnits: 2 }, { CapacityUnits: 1.5 }] } },
      { dynamoReadUnits: 3.5 },
    ],
    ['by size where it does not', 'PutItem', { input: put, output: {} }, { dynamoWriteUnits: 3 }],
    [
      'of a condition that failed, by size',
      'PutItem',
      { input: put, error: errorOf('ConditionalCheckFailedException', 400) },
      { dynamoWriteUnits: 3 },
    ],
    [
      'of a condition that failed, by the size of what is there',
      'UpdateItem',
      {
        error: errorOf('ConditionalCheckFailedException', 400, { Item: { b: { B: new Uint8Array(5000) } } }),
      },
      { dynamoWriteUnits: 5 },
    ],
    [
      'of a condition that failed, at least one',
      'UpdateItem',
      { error: errorOf('ConditionalCheckFailedException', 400) },
      { dynamoWriteUnits: 1 },
    ],
    [
      'of a lost answer, as of success',
      'GetItem',
      { input: { ConsistentRead: true }, error: errorOf('TimeoutError') },
      { dynamoReadUnits: 1 },
    ],
    [
      'of a lost answer to a read that need not be consistent, half as much',
      'GetItem',
      { error: errorOf('TimeoutError') },
      { dynamoReadUnits: 0.5 },
    ],
    [
      'of a batch whose answer was lost, one for each entry',
      'BatchWriteItem',
      { input: { RequestItems: { t: [{}, {}, {}] } }, error: errorOf('TimeoutError') },
      { dynamoWriteUnits: 3 },
    ],
    [
      'of a transaction, twice',
      'TransactWriteItems',
      { input: { TransactItems: [{}, {}] }, error: errorOf('TransactionCanceledException', 400) },
      { dynamoWriteUnits: 4 },
    ],
    ['none for what is refused', 'PutItem', { input: put, error: errorOf('ValidationException', 400) }, {}],
    [
      'none for what is throttled',
      'PutItem',
      { input: put, error: errorOf('ProvisionedThroughputExceededException', 400) },
      {},
    ],
    ['none for what is too large', 'PutItem', { input: put, error: errorOf('RequestTooLarge', 413) }, {}],
    [
      'of a redirect, as of success',
      'PutItem',
      { input: put, error: errorOf('Moved', 307) },
      { dynamoWriteUnits: 3 },
    ],
    ['none for tables', 'DescribeTable', { output: {} }, {}],
  ])('%s', (_, command, rest, usage) => {
    expect(billedUnits(attempt('DynamoDB', command, rest))).toEqual(usage);
  });
});

test('a number takes a byte, and one for each two of its digits that are begun', () => {
  const units = (N: string, more: number) => {
    // With its name, of one byte.
    const input = { Item: { n: { N }, s: { S: 'x'.repeat(1024 - 2 - more) } } };
    return billedUnits(attempt('DynamoDB', 'PutItem', { input, output: {} })).dynamoWriteUnits;
  };
  for (const [N, bytes] of [
    ['1', 2],
    ['12', 2],
    ['123', 3],
    ['1234', 3],
  ] as const)
    expect([N, units(N, bytes), units(N, bytes - 1)]).toEqual([N, 1, 2]);
});

test('calls are named by service, kind of queue and command', () => {
  expect(callName(attempt('SQS', 'SendMessageBatch', { input: FIFO }))).toBe('sqsFifo.SendMessageBatch');
  expect(callName(attempt('SQS', 'ReceiveMessage', { input: STANDARD }))).toBe('sqsStandard.ReceiveMessage');
  expect(callName(attempt('DynamoDB', 'PutItem', {}))).toBe('dynamo.PutItem');
  expect(callName(attempt('S3', 'PutObject', {}))).toBe('s3.PutObject');
});

describe('a client that is watched', () => {
  /** Responds as the test says, one HTTP response for each attempt; keeps the bodies sent. */
  function clientThat(answers: readonly { statusCode: number; body: object }[]) {
    const sent: Record<string, unknown>[] = [];
    const client = new DynamoDBClient({
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 3,
      requestHandler: {
        async handle({ body }: { body: Uint8Array }) {
          const { statusCode, body: answer } = answers[sent.length] ?? { statusCode: 500, body: {} };
          sent.push(JSON.parse(new TextDecoder().decode(body)));
          return {
            response: {
              statusCode,
              headers: { 'content-type': 'application/x-amz-json-1.0' },
              body: Buffer.from(JSON.stringify(answer)),
            },
          };
        },
      },
    });
    const meter = createMeter({ clock: { now: () => 0 } });
    meter.watch(client);
    return { client, meter, sent };
  }

  const consumed = (CapacityUnits: number) => ({ ConsumedCapacity: { TableName: 't', CapacityUnits } });

  test('is asked what it consumed, and each of its attempts counts', async () => {
    const { client, meter, sent } = clientThat([
      { statusCode: 500, body: { __type: 'InternalServerError' } },
      { statusCode: 200, body: consumed(2) },
    ]);
    await meter.run('a', () =>
      client.send(new GetItemCommand({ TableName: 't', Key: {}, ConsistentRead: true })),
    );
    expect(sent).toMatchObject([{ ReturnConsumedCapacity: 'TOTAL' }, { ReturnConsumedCapacity: 'TOTAL' }]);
    expect(meter.take()).toEqual(new Map([['a', { dynamoReadUnits: 3 }]]));
    expect(meter.takeCalls()).toEqual({ 'dynamo.GetItem': 2 });
    expect(meter.takeCalls()).toEqual({});
  });

  test('throws what it threw, and a condition that failed is billed', async () => {
    const { client, meter } = clientThat([
      { statusCode: 400, body: { __type: 'ConditionalCheckFailedException', message: 'no' } },
    ]);
    const put = new PutItemCommand({ TableName: 't', Item: { pk: { S: 'x'.repeat(2000) } } });
    await expect(meter.run('a', () => client.send(put))).rejects.toThrow('no');
    expect(meter.take()).toEqual(new Map([['a', { dynamoWriteUnits: 2 }]]));
  });

  test('may ask for more itself', async () => {
    const { client, sent } = clientThat([{ statusCode: 200, body: consumed(1) }]);
    await client.send(new GetItemCommand({ TableName: 't', Key: {}, ReturnConsumedCapacity: 'INDEXES' }));
    expect(sent).toMatchObject([{ ReturnConsumedCapacity: 'INDEXES' }]);
  });

  test.each(['DescribeTableCommand', 'constructor', undefined])('%s is not asked', (commandName) => {
    expect(takesReturnConsumedCapacity(commandName)).toBe(false);
  });
});
