/** The engine's tables and bucket, made in an emulator for one test file. */
import { randomBytes } from 'node:crypto';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { DUE_AT, DUE_INDEX, DUE_SHARD, type StateNames } from '../../shared/engines/aws/state/tables.ts';
import { PARTITION_KEY, SORT_KEY } from '../../shared/engines/aws/table/item.ts';
import { givenEndpoint } from './emulator/choose.ts';

/** Set for the test files by emulator/test-environment.ts. */
const endpoint = process.env.AWS_ENDPOINT_URL;

/** Whether there is an emulator. If not, emulator/global-setup.ts has reported it. */
export const hasEmulator = (): boolean => endpoint !== undefined;

/** The options of every client: the emulator's address, and credentials that it takes. */
export const CLIENT_OPTIONS = {
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};

export interface Resources {
  readonly dynamo: DynamoDBClient;
  readonly s3: S3Client;
  readonly names: StateNames;
  remove(): Promise<void>;
}

/** Makes them under random names. Throws unless the emulator is at this machine. */
export async function makeResources(): Promise<Resources> {
  if (givenEndpoint(endpoint) === undefined)
    throw new Error('Expected an emulator at this machine, got no AWS_ENDPOINT_URL');
  const { AWS_ENDPOINT_URL_DYNAMODB = endpoint } = process.env;
  const dynamo = new DynamoDBClient({ ...CLIENT_OPTIONS, endpoint: AWS_ENDPOINT_URL_DYNAMODB });
  const s3 = new S3Client({ ...CLIENT_OPTIONS, forcePathStyle: true });
  const id = randomBytes(6).toString('hex');
  const names = { crawlState: `crawl-state-${id}`, urlSeen: `url-seen-${id}`, bucket: `strand-${id}` };
  await Promise.all([
    makeTable(dynamo, crawlState(names.crawlState)),
    makeTable(dynamo, keyed(names.urlSeen)),
    s3.send(new CreateBucketCommand({ Bucket: names.bucket })),
  ]);
  return {
    dynamo,
    s3,
    names,
    async remove() {
      for (const TableName of [names.crawlState, names.urlSeen])
        await dynamo.send(new DeleteTableCommand({ TableName }));
      await emptyBucket(s3, names.bucket);
      await s3.send(new DeleteBucketCommand({ Bucket: names.bucket }));
      dynamo.destroy();
      s3.destroy();
    },
  };
}

const keyed = (table: string) =>
  ({
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [
      { AttributeName: PARTITION_KEY, KeyType: 'HASH' },
      { AttributeName: SORT_KEY, KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: PARTITION_KEY, AttributeType: 'S' },
      { AttributeName: SORT_KEY, AttributeType: 'S' },
    ],
  }) satisfies CreateTableCommandInput;

function crawlState(table: string): CreateTableCommandInput {
  const base = keyed(table);
  return {
    ...base,
    AttributeDefinitions: [
      ...base.AttributeDefinitions,
      { AttributeName: DUE_SHARD, AttributeType: 'S' },
      { AttributeName: DUE_AT, AttributeType: 'N' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: DUE_INDEX,
        KeySchema: [
          { AttributeName: DUE_SHARD, KeyType: 'HASH' },
          { AttributeName: DUE_AT, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  };
}

async function makeTable(dynamo: DynamoDBClient, input: CreateTableCommandInput): Promise<void> {
  await dynamo.send(new CreateTableCommand(input));
  await waitUntilTableExists(
    { client: dynamo, maxWaitTime: 60, minDelay: 1, maxDelay: 1 },
    { TableName: input.TableName },
  );
}

async function emptyBucket(s3: S3Client, bucket: string): Promise<void> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket: bucket })) {
    const Objects = Contents.map(({ Key }) => ({ Key }));
    if (Objects.length > 0) await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
  }
}
