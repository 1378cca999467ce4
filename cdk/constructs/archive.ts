import { type CfnResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { StackOptions } from '../options.ts';

/** The bucket: WARC files under `warc/`, large parts of ledgers under `parts/`. */
export class Archive extends Construct {
  readonly bucket: s3.Bucket;

  constructor(scope: Construct, id: string, options: StackOptions) {
    super(scope, id);
    const isKept = options.removalPolicy === 'retain';
    this.bucket = new s3.Bucket(this, 'Bucket', {
      encryption: s3.BucketEncryption.S3_MANAGED,
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // What is left of an upload that was neither completed nor aborted is billed until then.
      lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(2) }],
      removalPolicy: isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      autoDeleteObjects: !isKept,
    });
    // A bucket that stays goes on refusing plain HTTP.
    if (isKept) this.bucket.policy?.applyRemovalPolicy(RemovalPolicy.RETAIN);
    else keepNoLog(this);
  }
}

/**
 * The function that empties the bucket belongs to the CDK. Left to itself it writes its log while the stack
 * is being deleted, to a group that nothing deletes. It may not; what goes wrong stands in the stack's
 * events.
 */
function keepNoLog(scope: Construct): void {
  const provider = Stack.of(scope).node.findChild('Custom::S3AutoDeleteObjectsCustomResourceProvider');
  (provider.node.findChild('Role') as CfnResource).addPropertyDeletionOverride('ManagedPolicyArns');
}
