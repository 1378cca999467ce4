import { CfnOutput, type CfnResource, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { followAccountRules } from './constructs/account-rules.ts';
import { Crawler } from './crawler.ts';
import type { CrawlerProps } from './crawler-props.ts';

export interface CrawlerStackProps extends CrawlerProps {
  /** The stack's name, and the crawler's. */
  readonly name: string;
}

/** A stack with one crawler in it, whose outputs name all that it is made of. */
export class CrawlerStack extends Stack {
  readonly crawler: Crawler;

  constructor(scope: Construct, id: string, props: CrawlerStackProps) {
    super(scope, id, { stackName: props.name, description: 'Strand, a web crawler' });
    // CloudFormation's ids leave out "Default": tables and bucket keep those that they had before there was a
    // construct, so an upgrade replaces none.
    const crawler = new Crawler(this, 'Default', props);
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
      RouterName: functions.router.functionName,
      WakerName: functions.waker.functionName,
      ApiName: functions.api.functionName,
      CompactorName: functions.compactor.functionName,
      OperatorPolicyArn: crawler.operatorPolicy?.managedPolicyArn,
      EgressAddress: crawler.address,
    });
  }

  /**
   * The function that empties a bucket belongs to the CDK. It would write its log while the stack is being
   * deleted, to a group that nothing deletes. Here it may not; what goes wrong is in the stack's events.
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
