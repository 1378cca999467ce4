import { describe, expect, test } from 'vitest';
import { functionOf, type Resource, type Synthesized, settingsIn, synthesized } from './synthesized.ts';

const TABLE = 'AWS::DynamoDB::GlobalTable';
const BUCKET = 'AWS::S3::Bucket';

const plain = synthesized();
const destroyable = synthesized({ removalPolicy: 'destroy' });

describe('tables and bucket', () => {
  test('the tables are keyed as the engine keys them, and bill what is used', () => {
    for (const name of ['CrawlState', 'UrlSeen']) {
      expect(plain.one(TABLE, `State${name}`).Properties).toMatchObject({
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        SSESpecification: { SSEEnabled: false },
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
        Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false } }],
      });
    }
  });

  test('hosts that are due are found by an index of keys, on CrawlState alone', () => {
    const { AttributeDefinitions, GlobalSecondaryIndexes } = plain.one(TABLE, 'StateCrawlState').Properties;
    expect(GlobalSecondaryIndexes).toMatchObject([
      {
        IndexName: 'due',
        KeySchema: [
          { AttributeName: 'dueShard', KeyType: 'HASH' },
          { AttributeName: 'dueAt', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ]);
    expect(AttributeDefinitions).toEqual(
      expect.arrayContaining([
        { AttributeName: 'dueShard', AttributeType: 'S' },
        { AttributeName: 'dueAt', AttributeType: 'N' },
      ]),
    );
    expect(plain.one(TABLE, 'StateUrlSeen').Properties.GlobalSecondaryIndexes).toBeUndefined();
  });

  test('the bucket is encrypted, private, TLS only, and drops what uploads and turns that failed leave', () => {
    expect(plain.one(BUCKET, 'Archive').Properties).toMatchObject({
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      LifecycleConfiguration: {
        Rules: [
          { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 }, Status: 'Enabled' },
          { Prefix: 'staged-items/', ExpirationInDays: 30, Status: 'Enabled' },
          { Prefix: 'staged-changes/', ExpirationInDays: 30, Status: 'Enabled' },
          { Prefix: 'export-work/', ExpirationInDays: 30, Status: 'Enabled' },
        ],
      },
    });
    const { Statement } = plain.one('AWS::S3::BucketPolicy', 'Archive').Properties.PolicyDocument;
    expect(Statement).toMatchObject([
      { Effect: 'Deny', Action: 's3:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      { Effect: 'Deny', Action: 's3:*', Condition: { NumericLessThan: { 's3:TlsVersion': 1.2 } } },
    ]);
  });

  test('every state of the tables can be restored where that is wanted', () => {
    const tables = Object.values(synthesized({ pointInTimeRecovery: true }).resources(TABLE));
    for (const { Properties } of tables) {
      expect(Properties.Replicas[0].PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true);
    }
  });

  /** Types of the resources that a deletion of the stack leaves. */
  const left = ({ template }: Synthesized) =>
    Object.values(template.toJSON().Resources as Record<string, Resource>)
      .filter(({ DeletionPolicy }) => DeletionPolicy?.startsWith('Retain'))
      .map(({ Type }) => Type)
      .sort();

  test('are what destroy leaves, with the policy of the bucket, and nothing else', () => {
    expect(left(plain)).toEqual([TABLE, TABLE, BUCKET, 'AWS::S3::BucketPolicy']);
    for (const { Properties } of Object.values(plain.resources(TABLE))) {
      expect(Properties.Replicas[0].DeletionProtectionEnabled).toBe(true);
    }
    plain.template.resourceCountIs('Custom::S3AutoDeleteObjects', 0);
  });

  test('go with the rest, emptied, where that was said', () => {
    expect(left(destroyable)).toEqual([]);
    for (const { Properties } of Object.values(destroyable.resources(TABLE))) {
      expect(Properties.Replicas[0].DeletionProtectionEnabled).toBe(false);
    }
    destroyable.template.resourceCountIs('Custom::S3AutoDeleteObjects', 1);
  });
});

describe('the tables and the bucket of an earlier stack', () => {
  const adopt = { crawlState: 'Strand-CrawlState1', urlSeen: 'Strand-UrlSeen1', bucket: 'strand-archive-1' };
  const adopting = synthesized({ adopt: JSON.stringify(adopt) });

  test('are used as they are, and no others are made', () => {
    for (const type of [TABLE, BUCKET, 'AWS::DynamoDB::Table', 'AWS::S3::BucketPolicy'])
      expect(adopting.resources(type)).toEqual({});
    const { Environment } = functionOf(adopting, 'Worker').Properties;
    expect(settingsIn(Environment.Variables.STRAND_SETTINGS)).toMatchObject(adopt);
  });

  test('each function may do with them what it may do with its own', () => {
    const actionsOf = (from: Synthesized) =>
      Object.values(from.resources('AWS::IAM::Policy')).map(({ Properties }) =>
        Properties.PolicyDocument.Statement.flatMap(
          ({ Action }: { Action: string | string[] }) => Action,
        ).sort(),
      );
    expect(actionsOf(adopting)).toEqual(actionsOf(plain));
    const policies = JSON.stringify(adopting.resources('AWS::IAM::Policy'));
    for (const resource of [
      `table/${adopt.crawlState}"`,
      `table/${adopt.crawlState}/index/due"`,
      `:${adopt.bucket}/warc/*`,
    ])
      expect(policies).toContain(resource);
  });

  test('are named all or not at all', () => {
    expect(() => synthesized({ adopt: '{"bucket":"strand-archive-1"}' })).toThrow(
      'a JSON object of the names crawlState, urlSeen and bucket',
    );
    expect(() => synthesized({ adopt, pointInTimeRecovery: true })).toThrow('tables of your own');
    expect(() => synthesized({ adopt, archiveDays: 30 })).toThrow('a bucket of your own');
  });
});

test('a key that an option names encrypts tables, bucket and queues, and each function may use it', () => {
  const kmsKey = 'arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555';
  const encrypted = synthesized({ kmsKey });
  expect(JSON.stringify(encrypted.one(BUCKET, 'Archive').Properties.BucketEncryption)).toContain(kmsKey);
  for (const { Properties } of Object.values(encrypted.resources(TABLE)))
    expect(Properties.Replicas[0].SSESpecification).toEqual({ KMSMasterKeyId: kmsKey });
  for (const { Properties } of Object.values(encrypted.resources('AWS::SQS::Queue')))
    expect(Properties.KmsMasterKeyId).toBe(kmsKey);
  const users = Object.values(encrypted.resources('AWS::IAM::Policy')).filter((policy) =>
    JSON.stringify(policy).includes('kms:GenerateDataKey*'),
  );
  expect(users).toHaveLength(6);
  expect(() => synthesized({ kmsKey: 'alias/strand' })).toThrow('the ARN of a KMS key');
});
