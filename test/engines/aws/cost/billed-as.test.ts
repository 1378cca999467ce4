/** The units of every kind of call, and what they cost, as whole tables. */
import { expect, test } from 'vitest';
import {
  billedUnits,
  callName,
  polledRequests,
  takesReturnConsumedCapacity,
} from '../../../../shared/engines/aws/cost/billed-units.ts';
import { costOf, dataOutBytes, LINE_ITEMS, priceOf } from '../../../../shared/engines/aws/cost/prices.ts';

const FIFO = { QueueUrl: 'https://sqs/1/q.fifo' };
const STANDARD = { QueueUrl: 'https://sqs/1/q.fifo-not' };

test.each([
  ['PutItem', 'write'],
  ['UpdateItem', 'write'],
  ['DeleteItem', 'write'],
  ['BatchWriteItem', 'write'],
  ['TransactWriteItems', 'write'],
  ['GetItem', 'read'],
  ['Query', 'read'],
  ['Scan', 'read'],
  ['BatchGetItem', 'read'],
  ['TransactGetItems', 'read'],
  ['DescribeTable', 'none'],
  ['toString', 'none'],
])('%s of DynamoDB is billed as a %s, by what it says that it has consumed', (name, unit) => {
  const call = { clientName: 'DynamoDBClient', commandName: `${name}Command`, input: {} };
  const item = unit === 'write' ? 'dynamoWriteUnits' : 'dynamoReadUnits';
  const expected = (units: number) => (unit === 'none' ? {} : { [item]: units });
  const consumed = (ConsumedCapacity: unknown) => billedUnits({ ...call, output: { ConsumedCapacity } });
  expect(consumed({ CapacityUnits: 7.5 })).toEqual(expected(7.5));
  expect(consumed({})).toEqual(expected(0));
  expect(consumed([{ CapacityUnits: 2 }, {}, { CapacityUnits: 3 }])).toEqual(expected(5));
  expect(consumed([])).toEqual(expected(0));
  expect(takesReturnConsumedCapacity(`${name}Command`)).toBe(unit !== 'none');
  expect(callName(call)).toBe(`dynamo.${name}`);
});

test('a call of DynamoDB that says nothing is billed by what it holds', () => {
  const units = (name: string, input: object, error?: object) =>
    billedUnits({ clientName: 'DynamoDBClient', commandName: `${name}Command`, input, error });
  const item = (bytes: number) => ({ pk: { S: 'x'.repeat(bytes - 2) } });
  expect([1024, 1025, 2048, 2049].map((bytes) => units('PutItem', { Item: item(bytes) }))).toEqual(
    [1, 2, 2, 3].map((dynamoWriteUnits) => ({ dynamoWriteUnits })),
  );
  // A name of 2 bytes and a value: bytes as they are, two digits a byte and one more, one for anything else.
  const values = (value: object, size: number) =>
    units('PutItem', { Item: { ...item(1024 - 2 - size), nn: value } });
  for (const [value, size] of [
    [{ B: new Uint8Array(9) }, 9],
    [{ N: '1234' }, 3],
    [{ N: '12345' }, 4],
    [{ BOOL: true }, 1],
    [{ S: 'é' }, 2],
  ] as const) {
    expect(values(value, size)).toEqual({ dynamoWriteUnits: 1 });
    expect(values(value, size - 1)).toEqual({ dynamoWriteUnits: 2 });
  }
  expect(units('DeleteItem', {})).toEqual({ dynamoWriteUnits: 1 });
  expect(units('PutItem', { Item: item(10) }, { Item: item(5000) })).toEqual({ dynamoWriteUnits: 5 });
  expect(units('PutItem', { Item: item(5000) }, { Item: item(10) })).toEqual({ dynamoWriteUnits: 5 });
  expect(units('GetItem', { ConsistentRead: true })).toEqual({ dynamoReadUnits: 1 });
  expect(units('Query', {})).toEqual({ dynamoReadUnits: 0.5 });
  expect(units('TransactWriteItems', { TransactItems: [1, 2, 3] })).toEqual({ dynamoWriteUnits: 6 });
  expect(units('BatchWriteItem', { RequestItems: { a: [1, 2], b: [3] } })).toEqual({ dynamoWriteUnits: 3 });
  expect(units('BatchGetItem', { RequestItems: { a: { Keys: [1, 2] }, b: { Keys: undefined } } })).toEqual({
    dynamoReadUnits: 2,
  });
});

test('a call that was refused is not billed, but for a condition that fails', () => {
  const units = (
    name: string,
    status: number | undefined,
    commandName = 'PutItemCommand',
    clientName = 'DynamoDBClient',
  ) =>
    billedUnits({
      ...{ clientName, commandName, input: FIFO },
      error: Object.assign(new Error(name), {
        name,
        ...(status && { $metadata: { httpStatusCode: status } }),
      }),
    });
  expect(units('ConditionalCheckFailedException', 400)).toEqual({ dynamoWriteUnits: 1 });
  expect(units('TransactionCanceledException', 400, 'TransactWriteItemsCommand')).toEqual({
    dynamoWriteUnits: 1,
  });
  expect(units('ValidationException', 400)).toEqual({});
  expect(units('ValidationException', 499)).toEqual({});
  expect(units('InternalServerError', 500)).toEqual({ dynamoWriteUnits: 1 });
  expect(units('Redirect', 399)).toEqual({ dynamoWriteUnits: 1 });
  expect(units('TimeoutError', undefined)).toEqual({ dynamoWriteUnits: 1 });
  for (const clientName of ['DynamoDBClient', 'SQSClient', 'S3Client'])
    expect(units('ThrottlingException', 400, 'PutItemCommand', clientName)).toEqual({});
  expect(units('AccessDenied', 403, 'SendMessageCommand', 'SQSClient')).toEqual({ sqsFifoRequests: 1 });
  expect(units('AccessDenied', 403, 'PutObjectCommand', 'S3Client')).toEqual({ s3Puts: 1 });
});

test('a request of SQS is each 64 KB that it sends and brings', () => {
  const units = (input: object, output?: object) =>
    billedUnits({ clientName: 'SQSClient', commandName: 'AnyCommand', input, output });
  const body = (bytes: number) => 'x'.repeat(bytes);
  const KB64 = 65_536;
  expect(units({ ...FIFO })).toEqual({ sqsFifoRequests: 1 });
  expect(units({ ...STANDARD, MessageBody: body(KB64) })).toEqual({ sqsStandardRequests: 1 });
  expect(units({ MessageBody: body(KB64 + 1) })).toEqual({ sqsStandardRequests: 2 });
  expect(units({ ...FIFO, Entries: [{ MessageBody: body(KB64) }, {}, { MessageBody: 'é' }] })).toEqual({
    sqsFifoRequests: 2,
  });
  expect(units({ ...FIFO }, { Messages: [{ Body: body(2 * KB64) }, {}, { Body: 'x' }] })).toEqual({
    sqsFifoRequests: 3,
  });
  expect(polledRequests([])).toBe(2);
  expect(polledRequests([body(KB64), 'x'])).toBe(3);
});

test('requests of S3 are of two prices, and deletes are free', () => {
  const units = (name: string) =>
    billedUnits({ clientName: 'S3Client', commandName: `${name}Command`, input: {} });
  const puts = [
    'PutObject',
    'CopyObject',
    'CreateMultipartUpload',
    'UploadPart',
    'UploadPartCopy',
    'DeleteObjects',
  ];
  for (const name of [...puts, 'CompleteMultipartUpload', 'ListObjectsV2', 'ListMultipartUploads'])
    expect([name, units(name)]).toEqual([name, { s3Puts: 1 }]);
  for (const name of ['GetObject', 'HeadObject', 'SelectObjectContent'])
    expect([name, units(name)]).toEqual([name, { s3Gets: 1 }]);
  for (const name of ['DeleteObject', 'AbortMultipartUpload', 'DeleteObjectTagging'])
    expect([name, units(name)]).toEqual([name, {}]);
  expect(billedUnits({ clientName: 'OtherClient', commandName: 'PutObjectCommand', input: {} })).toEqual({});
});

test('calls are named by their service', () => {
  const name = (clientName: string, input: object, commandName = 'SendMessageCommand') =>
    callName({ clientName, commandName, input });
  expect([name('SQSClient', FIFO), name('SQSClient', STANDARD), name('SQSClient', {})]).toEqual([
    'sqsFifo.SendMessage',
    'sqsStandard.SendMessage',
    'sqsStandard.SendMessage',
  ]);
  expect(['S3Client', 'DynamoDBClient', 'OtherClient'].map((client) => name(client, {}, 'GetIt'))).toEqual([
    's3.GetIt',
    'dynamo.GetIt',
    'other.GetIt',
  ]);
});

test('list prices are those of the table', () => {
  const { unitPrices, ...prices } = priceOf('us-east-1');
  expect(prices).toEqual({ region: 'us-east-1', isExact: true, asOf: expect.stringMatching(/^\d{4}-\d\d$/) });
  expect(priceOf('toString')).toMatchObject({ region: 'toString', isExact: false });
  // US dollars for a million requests or units, a GB, and 400,000 GB-seconds.
  const usage = {
    ...{ sqsFifoRequests: 1e6, sqsStandardRequests: 1e6, dynamoWriteUnits: 1e6, dynamoReadUnits: 1e6 },
    ...{
      s3Puts: 1e6,
      s3Gets: 1e6,
      lambdaRequests: 1e6,
      lambdaMbMs: 400_000 * 1024 * 1000,
      dataOutBytes: 1e9,
    },
  };
  const { total, byItem } = costOf(usage, { unitPrices, isExact: true });
  const expected = [0.5, 0.4, 0.625, 0.125, 5, 0.4, 0.2, 5.33336, 0.09];
  expect(LINE_ITEMS.map((item) => Number(byItem[item].toFixed(6)))).toEqual(expected);
  expect(total).toBeCloseTo(
    expected.reduce((sum, cost) => sum + cost, 0),
    9,
  );
  expect(costOf({}, { unitPrices, isExact: true })).toEqual({
    total: 0,
    isExact: true,
    byItem: Object.fromEntries(LINE_ITEMS.map((item) => [item, 0])),
  });
});

test('bytes to the web are those sent, 2,500 for a request that was not counted, headers and acknowledgements', () => {
  const out = (requests: number, bytes: number, sentRequests: number, sentBytes: number) =>
    dataOutBytes({ requests, bytes, sent: { requests: sentRequests, bytes: sentBytes } });
  expect(out(0, 0, 0, 0)).toBe(0);
  expect(out(3, 0, 0, 0)).toBe(7500);
  expect(out(3, 0, 2, 1000)).toBe(1000 + 2500 + 8 * 52);
  expect(out(2, 0, 3, 1000)).toBe(1000 + 12 * 52);
  expect(out(1, 29_200, 1, 100)).toBe(100 + 14 * 52);
  expect(out(1, 100, 1, 100)).toBe(Math.round(100 + (4 + 100 / 2920) * 52));
});
