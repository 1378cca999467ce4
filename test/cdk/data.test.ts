import { describe, expect, test } from 'vitest';
import { type Resource, type Synthesized, synthesized } from './synthesized.ts';

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
