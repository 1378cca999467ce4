import type * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { CrawlOptions } from '../shared/core/crawl/crawl-options.ts';
import type { StackOption } from './stack-option.ts';
import type { STACK_OPTIONS } from './stack-options.ts';

/** Resources of your own that a crawler uses. It makes those that are not given, and needs no VPC. */
export interface ExistingResources {
  /**
   * Bucket for the archive, large parts of the crawls' state, items of hooks and exports (docs/aws.md has its folders).
   * The crawler neither changes its settings nor deletes it. A bucket serves a single crawler. Add lifecycle rules that
   * abort incomplete multipart uploads, and that delete objects below `staged-items/`, `staged-changes/` and
   * `export-work/` after 30 days; in a bucket with versions, also noncurrent versions: parts of ledgers are replaced all the time.
   *
   * @default a bucket with S3's own encryption, without public access, TLS only
   */
  readonly bucket?: s3.IBucket;
  /**
   * Tables of an earlier crawler that were kept when it was deleted; with its `bucket`. The crawls in them continue. The
   * crawler neither changes their settings nor deletes them. They serve one crawler.
   *
   * @default tables that are paid by use
   */
  readonly tables?: Readonly<Record<'crawlState' | 'urlSeen', dynamodb.ITableV2>>;
  /**
   * Key for the bucket (if the crawler makes it), the tables and the queues. The functions and those to whom
   * you grant access may use it.
   *
   * @default keys of the services, which cost nothing
   */
  readonly encryptionKey?: kms.IKey;
  /**
   * Topic that alarms are published to. An encrypted topic needs a key that `cloudwatch.amazonaws.com` may
   * use.
   *
   * @default none: alarms are shown in CloudWatch only, or go to `alarmEmail`
   */
  readonly alarmTopic?: sns.ITopic;
  /**
   * VPC that the functions run in. Its subnets need a way to the internet and to the AWS services: a NAT
   * gateway, and gateway endpoints for S3 and DynamoDB, which save its fees.
   *
   * @default none: the functions reach the internet directly, for nothing
   */
  readonly vpc?: ec2.IVpc;
  /** Subnets of `vpc`. @default its private subnets with a way out */
  readonly vpcSubnets?: ec2.SubnetSelection;
  /** Security groups of the functions in `vpc`. @default one for each function, which allows all traffic out */
  readonly securityGroups?: readonly ec2.ISecurityGroup[];
}

/** Options of a stack that are not props: `name` and the resources replace them. */
type NoProp = 'stackName' | 'adopt' | 'kmsKey';

/** The options of a stack as props. */
type OptionProps = {
  readonly [Key in Exclude<keyof typeof STACK_OPTIONS, NoProp>]?:
    | ((typeof STACK_OPTIONS)[Key] extends StackOption<infer In> ? In : never)
    | undefined;
};

/** The properties of a crawler. Everything has a default. */
export interface CrawlerProps extends OptionProps, ExistingResources {
  /**
   * Name of the crawler: a letter, then letters, digits and hyphens, at most 64. Its turn queues and metrics
   * carry it, so it must be unique in account and region. A new name replaces the queues.
   *
   * @default made from the stack's name and the construct's path
   */
  readonly name?: string;
  /**
   * Settings of crawls that do not say otherwise.
   *
   * @default { }: those of the configuration's own list
   */
  readonly crawl?: CrawlOptions;
  /**
   * File of a project (`strand.config.ts`) whose hooks and middleware run in the worker. The worker is then
   * bundled when the app is synthesized, which needs `esbuild` as a development dependency.
   *
   * @default none: the functions that were bundled when the package was published
   */
  readonly configFile?: string;
  /**
   * Secrets of the accounts in the project's file that the worker may read: `aws:ssm/NAME`, `aws:secrets/NAME`.
   *
   * @default none
   */
  readonly accountSecrets?: readonly string[];
}
