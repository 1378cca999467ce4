import { CfnOutput, type CfnResource, Stack } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as s3 from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { followAccountRules } from './constructs/account-rules.ts';
import { Crawler } from './crawler.ts';
import type { CrawlerProps, ExistingResources } from './crawler-props.ts';

export interface CrawlerStackProps extends CrawlerProps, NamedResources {
  /** The stack's name, and the crawler's. */
  readonly name: string;
}

/** Resources of the deployer's own, which the stack's options name. */
interface NamedResources {
  /** Names of tables and of a bucket that an earlier stack has left. */
  readonly adopt?: Readonly<Record<'crawlState' | 'urlSeen' | 'bucket', string>> | undefined;
  /** ARN of a key that encrypts tables, bucket and queues. */
  readonly kmsKey?: string | undefined;
}

/** A stack with one crawler in it, whose outputs name all that it is made of. */
export class CrawlerStack extends Stack {
  readonly crawler: Crawler;

  constructor(scope: Construct, id: string, props: CrawlerStackProps) {
    const { name: stackName, tags = {} } = props;
    // CloudFormation gives the stack's tags to what the CDK itself puts into it, too.
    super(scope, id, { stackName, tags, description: 'Strand, a web crawler' });
    // CloudFormation's ids leave out "Default": tables and bucket keep those that they had before there was a
    // construct, so an upgrade replaces none.
    const { adopt, kmsKey, ...own } = props;
    const crawler = new Crawler(this, 'Default', { ...own, ...existingIn(this, { adopt, kmsKey }) });
    this.crawler = crawler;
    this.keepNoLogOfDeletion();
    // Also what the CDK itself puts into the stack, such as the function that empties a bucket.
    followAccountRules(this, props);
    const { functions, deadLetterQueues, tables } = crawler;
    this.output({
      ApiUrl: crawler.api.url,
      ApiId: crawler.api.restApiId,
      ApiKeyId: crawler.apiKeyId,
      SeedQueueUrl: crawler.seedQueue.queueUrl,
      TurnQueueUrls: crawler.turnQueueUrls,
      TurnDeadLetterUrl: deadLetterQueues.turns.queueUrl,
      LinkDeadLetterUrl: deadLetterQueues.links.queueUrl,
      Bucket: crawler.bucket.bucketName,
      CrawlStateTable: tables.crawlState.tableName,
      UrlSeenTable: tables.urlSeen.tableName,
      WorkerName: functions.worker.functionName,
      ...(crawler.smallWorker && { SmallWorkerName: crawler.smallWorker.functionName }),
      RouterName: functions.router.functionName,
      WakerName: functions.waker.functionName,
      ApiName: functions.api.functionName,
      CompactorName: functions.compactor.functionName,
      ExporterName: functions.exporter.functionName,
      OperatorPolicyArn: crawler.operatorPolicy?.managedPolicyArn,
      ReaderPolicyArn: crawler.readerPolicy?.managedPolicyArn,
      CatalogDatabase: crawler.catalog?.database,
      QueryWorkgroup: crawler.catalog?.workgroup,
      EgressAddress: crawler.address,
      SpendingLimit: crawler.spendingLimit,
    });
  }

  /**
   * The function that empties a bucket belongs to the CDK. It would write its log while the stack is being
   * deleted, to a group that nothing deletes. Here it may not; its errors are in the stack's events.
   */
  private keepNoLogOfDeletion(): void {
    const provider = this.node.tryFindChild('Custom::S3AutoDeleteObjectsCustomResourceProvider');
    const role = provider?.node.findChild('Role') as CfnResource | undefined;
    role?.addPropertyDeletionOverride('ManagedPolicyArns');
  }

  private output(values: Readonly<Record<string, string | undefined>>): void {
    for (const [id, value] of Object.entries(values)) {
      if (value !== undefined) new CfnOutput(this, id, { value });
    }
  }
}

/** The resources that options name. */
function existingIn(
  scope: Construct,
  { adopt, kmsKey }: NamedResources,
): Pick<ExistingResources, 'bucket' | 'tables' | 'encryptionKey'> {
  const table = (id: string, name: string) => dynamodb.TableV2.fromTableName(scope, id, name);
  return {
    ...(kmsKey && { encryptionKey: kms.Key.fromKeyArn(scope, 'OwnKey', kmsKey) }),
    ...(adopt && {
      bucket: s3.Bucket.fromBucketName(scope, 'AdoptedBucket', adopt.bucket),
      tables: {
        crawlState: table('AdoptedCrawlState', adopt.crawlState),
        urlSeen: table('AdoptedUrlSeen', adopt.urlSeen),
      },
    }),
  };
}
