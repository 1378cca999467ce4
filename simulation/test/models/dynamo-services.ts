/** Models of the services with a clock that a test sets, and clients that call them at once. */
import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import { createSimDynamo } from '../../models/dynamo.ts';
import { type FaultName, type Faults, NO_FAULTS } from '../../models/faults.ts';
import { randomOf } from '../../models/random.ts';
import { createSimS3 } from '../../models/s3.ts';
import type { SimService } from '../../models/service.ts';
import { T0 } from '../../models/virtual-time.ts';

export const key = (pk: string, sk: string) => ({ pk: { S: pk }, sk: { S: sk } });
export const S = (text: string): AttributeValue => ({ S: text });
export const N = (number: number): AttributeValue => ({ N: String(number) });

/** Strikes whenever it can, with that detail. */
export const always = (name: FaultName, detail: number): Faults => ({
  ...NO_FAULTS,
  strikes: (asked) => asked === name,
  random: () => detail,
});

/** One in five times. */
export function often(...names: FaultName[]): Faults {
  const random = randomOf(1, ...names);
  return { ...NO_FAULTS, strikes: (name) => names.includes(name) && random() < 0.2, random };
}

export function createServices(faults: Faults = NO_FAULTS) {
  const clock = { at: T0 };
  const time = { now: () => clock.at };
  const dynamo = createSimDynamo({ time, faults, random: randomOf(1, 'dynamo') });
  dynamo.createTable({ name: 'T', index: { name: 'due', partitionKey: 'shard', sortKey: 'at' } });
  dynamo.createTable({ name: 'U' });
  const s3 = createSimS3({ time, faults, random: randomOf(1, 's3') });
  s3.createBucket('b');
  const clientOf = (service: SimService) => ({
    send: async (command: { readonly input: object }) =>
      service.handle(command.constructor.name, command.input),
  });
  return {
    clock,
    dynamo,
    s3,
    clients: {
      dynamo: clientOf(dynamo) as unknown as DynamoDBClient,
      s3: clientOf(s3) as unknown as S3Client,
    },
    /** Does a call of DynamoDB on the table `T`. */
    call: <O extends object = Answer>(command: string, input: object): O =>
      dynamo.handle(`${command}Command`, { TableName: 'T', ...input }) as O,
    /** Does a call of S3 on the bucket `b`. */
    callS3: <O extends object = S3Answer>(command: string, input: object): O =>
      s3.handle(`${command}Command`, { Bucket: 'b', ...input }) as O,
  };
}

/** The fields of DynamoDB's answers. */
export interface Answer {
  readonly Item?: Record<string, AttributeValue>;
  readonly Items?: Record<string, AttributeValue>[];
  readonly Count?: number;
  readonly ScannedCount?: number;
  readonly Attributes?: Record<string, AttributeValue>;
  readonly LastEvaluatedKey?: Record<string, AttributeValue>;
  readonly ConsumedCapacity?: { readonly CapacityUnits: number };
}

/** The fields of S3's answers. */
export interface S3Answer {
  readonly ETag?: string;
  readonly UploadId?: string;
  readonly ContentLength?: number;
  readonly ContentRange?: string;
  readonly Body?: AsyncIterable<Uint8Array> & {
    transformToByteArray(): Promise<Uint8Array>;
    transformToString(): Promise<string>;
  };
  readonly Contents?: { readonly Key: string; readonly Size: number; readonly LastModified: Date }[];
  readonly CommonPrefixes?: { readonly Prefix: string }[];
  readonly NextContinuationToken?: string;
  readonly IsTruncated?: boolean;
  readonly CopyPartResult?: { readonly ETag: string };
  readonly Uploads?: { readonly UploadId: string; readonly Key: string }[];
  readonly Errors?: { readonly Key: string; readonly Code: string }[];
}
