import { RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as kms from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import {
  DUE_AT,
  DUE_INDEX,
  DUE_SHARD,
  EXPIRES_AT,
  PARTITION_KEY,
  SORT_KEY,
} from '../../shared/engines/aws/state/tables.ts';
import type { ExistingResources } from '../crawler-props.ts';
import type { StackOptions } from '../options.ts';

/** The tables. Encrypted at rest with the operator's key, else with keys of DynamoDB's own, which cost nothing. */
export class State extends Construct {
  /** Heads, crawls, totals. */
  readonly crawlState: dynamodb.TableV2;
  /** The parts of the hosts' ledgers. */
  readonly urlSeen: dynamodb.TableV2;
  /** The operator's, if it is not DynamoDB's own. */
  readonly encryptionKey: kms.IKey | undefined;

  constructor(
    scope: Construct,
    id: string,
    options: StackOptions,
    { encryptionKey }: Pick<ExistingResources, 'encryptionKey'>,
  ) {
    super(scope, id);
    this.encryptionKey = encryptionKey;
    const isKept = options.removalPolicy === 'retain';
    const common: dynamodb.TablePropsV2 = {
      partitionKey: { name: PARTITION_KEY, type: dynamodb.AttributeType.STRING },
      sortKey: { name: SORT_KEY, type: dynamodb.AttributeType.STRING },
      timeToLiveAttribute: EXPIRES_AT,
      billing: dynamodb.Billing.onDemand(),
      encryption: dynamodb.TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: options.pointInTimeRecovery },
      removalPolicy: isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      deletionProtection: isKept,
    };
    this.urlSeen = new dynamodb.TableV2(this, 'UrlSeen', common);
    this.crawlState = new dynamodb.TableV2(this, 'CrawlState', {
      ...common,
      globalSecondaryIndexes: [
        {
          indexName: DUE_INDEX,
          partitionKey: { name: DUE_SHARD, type: dynamodb.AttributeType.STRING },
          sortKey: { name: DUE_AT, type: dynamodb.AttributeType.NUMBER },
          projectionType: dynamodb.ProjectionType.KEYS_ONLY,
        },
      ],
    });
    if (encryptionKey !== undefined)
      for (const table of [this.urlSeen, this.crawlState]) encryptWith(table, encryptionKey);
  }
}

/** The CDK's own option refuses stacks without a fixed region. */
function encryptWith(table: dynamodb.TableV2, { keyArn }: kms.IKey): void {
  const resource = table.node.defaultChild as dynamodb.CfnGlobalTable;
  resource.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
  resource.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: keyArn });
}
