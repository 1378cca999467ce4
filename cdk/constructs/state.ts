import { RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as kms from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { DUE_AT, DUE_INDEX, DUE_SHARD, EXPIRES_AT } from '../../shared/engines/aws/state/tables.ts';
import { PARTITION_KEY, SORT_KEY } from '../../shared/engines/aws/table/item.ts';
import type { ExistingResources } from '../crawler-props.ts';
import { InvalidOptions } from '../invalid-options.ts';
import type { StackOptions } from '../options.ts';

/** The tables: those of the operator, or such as are made here, encrypted at rest with the operator's key, else with keys of DynamoDB's own, which cost nothing. */
export class State extends Construct {
  /** Heads, crawls, totals. */
  readonly crawlState: dynamodb.ITableV2;
  /** The parts of the hosts' ledgers. */
  readonly urlSeen: dynamodb.ITableV2;
  /** The operator's, if it is not DynamoDB's own. */
  readonly encryptionKey: kms.IKey | undefined;

  constructor(
    scope: Construct,
    id: string,
    options: StackOptions,
    { tables, encryptionKey }: Pick<ExistingResources, 'tables' | 'encryptionKey'>,
  ) {
    super(scope, id);
    this.encryptionKey = encryptionKey;
    if (tables !== undefined && options.pointInTimeRecovery)
      throw new InvalidOptions(
        'Option pointInTimeRecovery: expected none with tables of your own; turn it on for them',
      );
    if (tables !== undefined && options.warmWriteUnits !== undefined)
      throw new InvalidOptions(
        'Option warmWriteUnits: expected none with tables of your own; warm them yourself',
      );
    const { crawlState, urlSeen } = tables ?? this.create(options);
    this.crawlState = crawlState;
    this.urlSeen = urlSeen;
  }

  private create(options: StackOptions): Record<'crawlState' | 'urlSeen', dynamodb.TableV2> {
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
      ...(options.warmWriteUnits !== undefined && {
        warmThroughput: { writeUnitsPerSecond: options.warmWriteUnits },
      }),
    };
    const urlSeen = new dynamodb.TableV2(this, 'UrlSeen', common);
    const crawlState = new dynamodb.TableV2(this, 'CrawlState', {
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
    const { encryptionKey } = this;
    if (encryptionKey !== undefined)
      for (const table of [urlSeen, crawlState]) encryptWith(table, encryptionKey);
    return { crawlState, urlSeen };
  }
}

/** The CDK's own option refuses stacks without a fixed region. */
function encryptWith(table: dynamodb.TableV2, { keyArn }: kms.IKey): void {
  const resource = table.node.defaultChild as dynamodb.CfnGlobalTable;
  resource.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
  resource.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: keyArn });
}
