import { Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import {
  ITEMS_FOLDER,
  STAGED_CHANGES_FOLDER,
  STAGED_ITEMS_FOLDER,
} from '../../shared/engines/aws/archive/item-folders.ts';
import { ITEM_TABLES_FOLDER, TABLES_FOLDER } from '../../shared/engines/aws/archive/table-folders.ts';
import { EXPORT_WORK_FOLDER } from '../../shared/engines/aws/exports/export-folders.ts';
import type { ExistingResources } from '../crawler-props.ts';
import { InvalidOptions } from '../invalid-options.ts';
import type { StackOptions } from '../options.ts';
import { QUERY_RESULTS_FOLDER } from './query-results.ts';

/** The bucket: WARC files under `warc/`, their tables under `index/`, items under `items/`, exports under `exports/`, large parts of ledgers under `parts/`. */
export class Archive extends Construct {
  /** The operator's, or one that the crawler makes. */
  readonly bucket: s3.IBucket;

  constructor(
    scope: Construct,
    id: string,
    options: StackOptions,
    { bucket, encryptionKey }: Pick<ExistingResources, 'bucket' | 'encryptionKey'>,
  ) {
    super(scope, id);
    if (bucket !== undefined && (options.archiveClass !== 'STANDARD' || options.archiveDays !== undefined))
      throw new InvalidOptions(
        'Options archiveClass and archiveDays: expected neither with a bucket of your own; give that bucket lifecycle rules',
      );
    if (bucket !== undefined) refuseOtherRegion(this, bucket);
    this.bucket = bucket ?? this.create(options, encryptionKey);
  }

  private create(options: StackOptions, encryptionKey: kms.IKey | undefined): s3.Bucket {
    const isKept = options.removalPolicy === 'retain';
    const bucket = new s3.Bucket(this, 'Bucket', {
      ...(encryptionKey
        ? { encryption: s3.BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }
        : { encryption: s3.BucketEncryption.S3_MANAGED }),
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // The remains of an upload that was neither completed nor aborted are billed until then.
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(2) },
        // Items of turns that were thrown away. Messages, which bring back a turn, live for 14 days at most.
        { prefix: `${STAGED_ITEMS_FOLDER}/`, expiration: Duration.days(30) },
        { prefix: `${STAGED_CHANGES_FOLDER}/`, expiration: Duration.days(30) },
        // Left by exports that failed.
        { prefix: `${EXPORT_WORK_FOLDER}/`, expiration: Duration.days(30) },
        // A query reads them again.
        ...(options.catalog ? [{ prefix: `${QUERY_RESULTS_FOLDER}/`, expiration: Duration.days(7) }] : []),
        ...['warc/', `${TABLES_FOLDER}/`, `${ITEMS_FOLDER}/`, `${ITEM_TABLES_FOLDER}/`].flatMap((prefix) =>
          keptRules(prefix, options),
        ),
      ],
      removalPolicy: isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      autoDeleteObjects: !isKept,
    });
    // A bucket that stays continues refusing plain HTTP.
    if (isKept) bucket.policy?.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return bucket;
  }
}

/** S3 answers the functions, which call it in their own region, that the bucket is elsewhere. */
function refuseOtherRegion(scope: Construct, { env }: s3.IBucket): void {
  const { region } = Stack.of(scope);
  if (Token.isUnresolved(region) || Token.isUnresolved(env.region) || env.region === region) return;
  throw new InvalidOptions(
    `Option bucket: expected a bucket in the stack's region, ${region}, got one in ${env.region}`,
  );
}

/** How long objects of that prefix are kept, and in which class. */
function keptRules(
  prefix: string,
  { archiveClass, archiveClassAfterDays, archiveDays }: StackOptions,
): s3.LifecycleRule[] {
  const transitions =
    archiveClass === 'STANDARD'
      ? []
      : [
          {
            storageClass: new s3.StorageClass(archiveClass),
            transitionAfter: Duration.days(archiveClassAfterDays),
          },
        ];
  if (transitions.length === 0 && archiveDays === undefined) return [];
  return [
    {
      prefix,
      ...(transitions.length > 0 && { transitions }),
      ...(archiveDays !== undefined && { expiration: Duration.days(archiveDays) }),
    },
  ];
}
