import { RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import {
  DUE_AT,
  DUE_INDEX,
  DUE_SHARD,
  EXPIRES_AT,
  PARTITION_KEY,
  SORT_KEY,
} from '../../shared/engines/aws/state/tables.ts';
import type { StackOptions } from '../options.ts';

/** The tables. Encrypted at rest with keys of DynamoDB's own, which cost nothing. */
export class State extends Construct {
  /** Heads, crawls, totals. */
  readonly crawlState: dynamodb.TableV2;
  /** The parts of the hosts' ledgers. */
  readonly urlSeen: dynamodb.TableV2;

  constructor(scope: Construct, id: string, options: StackOptions) {
    super(scope, id);
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
  }
}
