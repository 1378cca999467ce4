import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as logs from 'aws-cdk-lib/aws-logs';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { CrawlOptions } from '../shared/core/crawl/crawl-options.ts';

/** Resources of your own that a crawler uses. It makes those that are not given, and needs no VPC. */
export interface ExistingResources {
  /**
   * Bucket for the archive, large parts of the crawls' state, items of hooks and exports (docs/aws.md has its folders).
   * The crawler neither changes its settings nor deletes it. A bucket serves a single crawler. Add lifecycle rules that
   * abort incomplete multipart uploads, and that delete objects below `staged-items/`, `staged-changes/` and
   * `export-work/` after 30 days.
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

/** The properties of a crawler. Everything has a default. */
export interface CrawlerProps extends ExistingResources {
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
   * Name of a parameter of the Systems Manager that holds the crawler's settings, such as `/strand/news`. The
   * command line finds the crawler by it (`--stack /strand/news`) without access to CloudFormation.
   *
   * @default none
   */
  readonly parameterName?: string;
  /**
   * Name of a parameter of the Systems Manager with the identity by which all requests are signed, such as
   * `/strand/identity`. `strand --stack NAME identity upload FILE` makes it, after the deployment.
   *
   * @default none: requests are not signed
   */
  readonly identityParameter?: string;
  /**
   * Name of a parameter of the Systems Manager (SecureString) with the webhook, where the waker sends an event for each end of a
   * crawl, besides EventBridge: `{ "url": ..., "secret": ... }`, an http(s) URL, and the key of the signature, at least 16
   * characters. Make it with `aws ssm put-parameter`: a template must not hold it. `/aws/reference/secretsmanager/NAME` is a secret
   * of the Secrets Manager.
   *
   * @default none
   */
  readonly webhookParameter?: string;
  /**
   * Name of a parameter of the Systems Manager (SecureString) with secrets that all crawls use: `{ "headers": ..., "cookies": ...,
   * "auth": ..., "proxies": ... }`, each as in `crawl`, headers and passwords for hosts by name. The worker alone reads it. Make it
   * with `aws ssm put-parameter`: a template must not hold it. `/aws/reference/secretsmanager/NAME` is a secret of the Secrets Manager.
   *
   * @default none
   */
  readonly secretsParameter?: string;

  /**
   * How long a worker may run: 30 seconds to 15 minutes. All other times follow from it.
   *
   * @default Duration.minutes(10)
   */
  readonly workerTimeout?: Duration;
  /**
   * MB of a worker, 256 to 10,240; 1,769 MB is one whole CPU. More is needed for very large pages, or for fast hosts.
   *
   * @default 1280
   */
  readonly workerMemoryMb?: number;
  /**
   * MB of the small worker, which has the same code and serves the hosts of a crawl when there are few of them: 384 to 10,240.
   * 0, or no less than `workerMemoryMb`: there is none.
   *
   * @default 512
   */
  readonly smallWorkerMemoryMb?: number;
  /**
   * Hosts that one worker serves at once, 1 to 500. A worker mostly waits, so this decides the cost.
   *
   * @default 300
   */
  readonly hostsPerWorker?: number;
  /**
   * Workers at once over all turn queues at most, 2 to 1,000: at least 2 for each queue. There are as many as
   * the hosts need.
   *
   * @default 50
   */
  readonly maxConcurrency?: number;

  /**
   * FIFO queues of the hosts' messages, 1 to 64: one for each 25,000 hosts that are crawled at the same time.
   * Change it only while all of them are empty.
   *
   * @default 1
   */
  readonly turnQueues?: number;
  /**
   * Queues that gather links to very many hosts for up to 5 minutes, 0 to 64: one for each 100 pages a second
   * of a broad crawl.
   *
   * @default 0
   */
  readonly linkShards?: number;
  /**
   * Partitions of the index of due hosts, 1 to 64. May grow, never shrink.
   *
   * @default 8
   */
  readonly dueShards?: number;
  /**
   * How long the router gathers links, up to 5 minutes. Longer means fewer, larger messages.
   *
   * @default Duration.seconds(5)
   */
  readonly routerWindow?: Duration;

  /**
   * Who may call the API: callers that IAM allows, or callers that have the key.
   *
   * @default 'iam'
   */
  readonly apiAuth?: 'iam' | 'key';
  /**
   * CIDR blocks of special addresses, such as `10.0.0.0/8`, that crawls may be allowed to connect to.
   *
   * @default none
   */
  readonly allowPrivateAddresses?: readonly string[];
  /**
   * Ports that browsers refuse, that crawls may be allowed to use.
   *
   * @default none
   */
  readonly allowPorts?: readonly number[];

  /**
   * The least time between two requests to a host. No crawl can be faster.
   *
   * @default Duration.millis(100), or none if `allowPrivateAddresses` has some
   */
  readonly minDelay?: Duration;
  /**
   * The least time between two requests to an IP address, over all hosts at it, a minute at most. Only addresses that `crawl`
   * has in `ipDelayExcept` are without it.
   *
   * @default none: a crawl decides
   */
  readonly minIpDelay?: Duration;
  /**
   * Requests to one host at once, 1 to 64. No crawl can have more.
   *
   * @default none: a crawl decides
   */
  readonly maxPerHost?: number;
  /**
   * Bytes a second that all hosts together send a crawl at most, 100 or more. No crawl can have more.
   *
   * @default none: a crawl decides
   */
  readonly maxBytesPerSecond?: number;
  /**
   * Bytes a second that a host sends a crawl at most, 100 or more. No crawl can have more.
   *
   * @default none: a crawl decides
   */
  readonly maxBytesPerSecondPerHost?: number;
  /**
   * US dollars that one crawl may cost: it is paused before it costs more. Callers can only set less.
   *
   * @default none: a crawl decides
   */
  readonly maxCostPerCrawl?: number;
  /**
   * US dollars that all crawls may cost in a day (UTC), or `'none'`. When they have, all are paused, and none can begin or
   * resume on that day. They go on by themselves on the next one.
   *
   * @default 10
   */
  readonly maxCostPerDay?: number | 'none';
  /**
   * Crawls that may run at the same time.
   *
   * @default none
   */
  readonly maxRunningCrawls?: number;
  /**
   * Domains such as `example.org` that may be crawled, with all hosts below them.
   *
   * @default all
   */
  readonly allowedDomains?: readonly string[];

  /**
   * The removal policy of the tables and of the bucket. `DESTROY` deletes all that was ever fetched, but
   * never a bucket of your own.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy.RETAIN | RemovalPolicy.DESTROY;
  /**
   * Whether every state of the tables in the last 35 days can be restored: $0.20 for each GB and month.
   *
   * @default false
   */
  readonly pointInTimeRecovery?: boolean;
  /**
   * Write units a second that the tables take from the first moment on, 4,000 to 40,000: a crawl of more than some 7,000 pages a second needs
   * them. The rise is paid for once, and cannot be taken back. Not together with `tables`.
   *
   * @default DynamoDB's own: 4,000, and twice the last peak
   */
  readonly warmWriteUnits?: number;
  /**
   * The crawl of a seed message that names none.
   *
   * @default 'default'
   */
  readonly defaultCrawl?: string;

  /**
   * Storage class of WARC files, their tables and items after {@link CrawlerProps.archiveClassAfterDays}. All of these are read at once.
   * Not together with `bucket`: give your own bucket such rules yourself.
   *
   * @default 'STANDARD'
   */
  readonly archiveClass?: 'STANDARD' | 'STANDARD_IA' | 'INTELLIGENT_TIERING' | 'GLACIER_IR';
  /**
   * Days after which objects get that class, 30 or more.
   *
   * @default 30
   */
  readonly archiveClassAfterDays?: number;
  /**
   * Days after which WARC files, their tables and items are deleted.
   *
   * @default never
   */
  readonly archiveDays?: number;
  /**
   * Whether the compactor writes the captures of the files that it joins as Parquet tables, too, below `index/`.
   *
   * @default true
   */
  readonly indexTables?: boolean;
  /**
   * Whether these tables are in a Glue database, with an Athena workgroup. Database and workgroup cost nothing at rest.
   *
   * @default false
   */
  readonly catalog?: boolean;
  /**
   * GB that one query of the workgroup may read at most.
   *
   * @default 10
   */
  readonly catalogMaxScanGb?: number;
  /**
   * Tags of all resources of the crawler.
   *
   * @default { }
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * ARN of a managed policy that bounds all roles of the crawler.
   *
   * @default none
   */
  readonly permissionsBoundary?: string;
  /**
   * Whether there are two managed policies: for operators (`operatorPolicy` of the crawler), with all that the command line needs, and for
   * readers (`readerPolicy`), with its commands that change nothing.
   *
   * @default false
   */
  readonly operatorPolicy?: boolean;
  /**
   * Whether requests leave by one fixed address, by a VPC with a NAT gateway of the crawler's own: $33 a month and $0.045
   * for each GB. Not together with `vpc`.
   *
   * @default false
   */
  readonly fixedAddress?: boolean;

  /**
   * How long logs are kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: logs.RetentionDays;
  /**
   * Whether the functions write traces to X-Ray: $5 for a million.
   *
   * @default false
   */
  readonly tracing?: boolean;
  /**
   * Whether there is a dashboard.
   *
   * @default true
   */
  readonly dashboard?: boolean;
  /**
   * Mail address that alarms are sent to. It has to confirm.
   *
   * @default none
   */
  readonly alarmEmail?: string;
  /**
   * US dollars that all crawls may cost in an hour before `Spend` is announced. It stops nothing: a crawl's
   * `maxCost` does.
   *
   * @default 5
   */
  readonly maxCostPerHour?: number;
  /**
   * US dollars of the whole account in a month: AWS Budgets mails `alarmEmail` at 80 % of them, and when more are forecast. It stops
   * nothing.
   *
   * @default none
   */
  readonly budgetUsd?: number;
  /**
   * Environment variables for the code of the project's file, in the worker and the waker. They are in the template: give the
   * name of a secret, not the secret.
   *
   * @default { }
   */
  readonly workerEnvironment?: Readonly<Record<string, string>>;
}
