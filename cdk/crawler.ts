import { Names, Stack } from 'aws-cdk-lib';
import type * as apigateway from 'aws-cdk-lib/aws-apigateway';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { TABLES_FOLDER } from '../shared/engines/aws/archive/table-folders.ts';
import type { MetricName } from '../shared/engines/aws/metric-names.ts';
import { followAccountRules } from './constructs/account-rules.ts';
import { Alarms } from './constructs/alarms.ts';
import { Api } from './constructs/api.ts';
import { Archive } from './constructs/archive.ts';
import { Budget } from './constructs/budget.ts';
import { Catalog } from './constructs/catalog.ts';
import { Dashboard } from './constructs/dashboard.ts';
import { fixedNetwork } from './constructs/fixed-network.ts';
import { Frontier } from './constructs/frontier.ts';
import { Functions } from './constructs/functions.ts';
import { keysOf, type Stores } from './constructs/grants.ts';
import { crawlMetric } from './constructs/metrics.ts';
import { createOperatorPolicy, createReaderPolicy } from './constructs/operator-policy.ts';
import { refuseSharedBucket } from './constructs/own-bucket.ts';
import { publishSettings } from './constructs/published-settings.ts';
import { Renderer } from './constructs/renderer.ts';
import { secretArns } from './constructs/secret-arns.ts';
import { State } from './constructs/state.ts';
import type { CrawlerProps } from './crawler-props.ts';
import { limitSentence } from './notices.ts';
import { optionsOf, type StackOptions } from './options.ts';
import type { FunctionName } from './permissions.ts';
import { settingsOf } from './settings.ts';

/** As long as the limit of queue names allows. */
const MAX_NAME = 64;

/**
 * A whole crawler: seven functions, queues, two tables, a bucket and a REST API. It has no server and no
 * network of its own, and costs nothing for its functions while no crawl runs.
 *
 * ```ts
 * const crawler = new Crawler(this, 'Crawler', { crawl: { contact: 'you@example.org' } });
 * crawler.grantSeed(myFunction);
 * crawler.grantReadArchive(myAnalysis);
 * ```
 *
 * The command line finds it by the stack's name, or by its path where a stack has several:
 * `npx strand --stack MyStack/Crawler crawl https://example.org/`.
 *
 * Throws `InvalidOptions` or `InvalidConfig` for props that cannot be used.
 */
export class Crawler extends Construct {
  /** Unique in account and region: turn queues and metrics carry it. */
  readonly name: string;
  /** The archive, as WARC files under `warc/`. The state of crawls under `parts/` is the crawler's own. */
  readonly bucket: s3.IBucket;
  /** Standard queue that seeds are sent to: see {@link Crawler.grantSeed}. */
  readonly seedQueue: sqs.Queue;
  /** The REST API that starts, reads and controls crawls. */
  readonly api: apigateway.RestApi;
  /** The id of the API's key, if `apiAuth` is `key`. */
  readonly apiKeyId?: string;
  readonly functions: Readonly<Record<FunctionName, lambda.Function>>;
  /** The worker once more, with less memory, for few hosts. Undefined if `smallWorkerMemoryMb` is 0. */
  readonly smallWorker?: lambda.Function;
  /** Renders pages by a browser. Undefined without `rendering`. */
  readonly renderer?: lambda.Function;
  readonly tables: Readonly<Record<'crawlState' | 'urlSeen', dynamodb.ITableV2>>;
  /** Queues of messages that no function could handle. Kept for 14 days. */
  readonly deadLetterQueues: Readonly<Record<'turns' | 'links', sqs.Queue>>;
  readonly alarms: readonly cloudwatch.Alarm[];
  /** A policy for people who use the command line, if `operatorPolicy` is true. */
  readonly operatorPolicy?: iam.ManagedPolicy;
  /** A policy for people who only look at crawls and their data, if `operatorPolicy` is true. */
  readonly readerPolicy?: iam.ManagedPolicy;
  /** The tables of crawls in Glue, and the workgroup for queries, if `catalog` is true. */
  readonly catalog?: Catalog;
  /** The address by which requests leave, if `fixedAddress` is true. */
  readonly address?: string;
  /** A sentence about the limit of what all crawls together may cost. */
  readonly spendingLimit: string;
  /** The URLs of the turn queues, with `*` for their number. */
  readonly turnQueueUrls: string;

  readonly #stores: Stores;

  constructor(scope: Construct, id: string, props: CrawlerProps = {}) {
    super(scope, id);
    this.name = props.name ?? Names.uniqueResourceName(this, { maxLength: MAX_NAME, separator: '-' });
    const options = optionsOf(this.name, props);
    this.spendingLimit = limitSentence(options);
    refuseSharedBucket(this, props.bucket);
    const network = fixedNetwork(this, options, props);
    if (network) this.address = network.address;
    const existing = network ? { ...props, vpc: network.vpc } : props;
    const stores: Stores = {
      name: this.name,
      frontier: new Frontier(this, 'Frontier', options, props),
      state: new State(this, 'State', options, props),
      archive: new Archive(this, 'Archive', options, props),
      secrets: secretArns(this, options, props.accountSecrets),
      ...(options.rendering && { renderer: new Renderer(this, 'Renderer', options).function }),
    };
    const { frontier, state, archive } = stores;
    const settings = settingsOf(options, props, stores);
    const settingsJson = Stack.of(this).toJsonString(settings);
    const { byName: functions, smallWorker } = new Functions(this, 'Functions', {
      options,
      settings,
      settingsJson,
      stores,
      existing,
      configFile: props.configFile,
    });
    const api = new Api(this, 'Api', options, functions.api);
    this.#stores = stores;
    this.bucket = archive.bucket;
    this.seedQueue = frontier.linkQueue;
    this.api = api.rest;
    if (api.keyId !== undefined) this.apiKeyId = api.keyId;
    this.functions = functions;
    if (smallWorker) this.smallWorker = smallWorker;
    if (stores.renderer) this.renderer = stores.renderer;
    this.tables = { crawlState: state.crawlState, urlSeen: state.urlSeen };
    this.deadLetterQueues = { turns: frontier.turnDeadLetters, links: frontier.linkDeadLetters };
    this.turnQueueUrls = frontier.turns.urls.pattern;
    this.alarms = this.watch(options, props);
    publishSettings(this, settingsJson, props.parameterName);
    if (options.operatorPolicy) {
      this.operatorPolicy = createOperatorPolicy(this, stores);
      this.readerPolicy = createReaderPolicy(this, stores);
    }
    if (options.catalog) {
      const { bucket, name } = this;
      this.catalog = new Catalog(this, 'Catalog', { name, bucket, maxScanGb: options.catalogMaxScanGb });
    }
    const { budgetUsd, alarmEmail } = options;
    if (budgetUsd !== undefined && alarmEmail !== undefined)
      new Budget(this, 'Budget', { budgetUsd, alarmEmail });
    followAccountRules(this, options);
  }

  /**
   * Allows sending seeds to {@link Crawler.seedQueue}. A message is JSON, such as
   * `{"crawl": "news", "urls": ["https://example.org/"]}`, or URLs separated by spaces.
   */
  grantSeed(grantee: iam.IGrantable): iam.Grant {
    return this.seedQueue.grantSendMessages(grantee);
  }

  /** Allows listing and reading the WARC files, their indexes and their tables, and nothing else of the bucket. */
  grantReadArchive(grantee: iam.IGrantable): iam.Grant {
    for (const key of keysOf(this.#stores)) key.grantDecrypt(grantee);
    const { bucket } = this;
    const list = iam.Grant.addToPrincipal({
      grantee,
      actions: ['s3:ListBucket'],
      resourceArns: [bucket.bucketArn],
      conditions: { StringLike: { 's3:prefix': ['warc', 'warc/*', TABLES_FOLDER, `${TABLES_FOLDER}/*`] } },
    });
    return list.combine(
      iam.Grant.addToPrincipal({
        grantee,
        actions: ['s3:GetObject'],
        resourceArns: [bucket.arnForObjects('warc/*'), bucket.arnForObjects(`${TABLES_FOLDER}/*`)],
      }),
    );
  }

  /**
   * A metric of all crawls together, summed over 5 minutes unless `options` says otherwise: `Pages`,
   * `Requests`, `Bytes`, `Errors`, `Turns`, `StaleTurns`, `HostsActive`, `CostUsd`.
   */
  metric(name: MetricName, options: cloudwatch.MetricOptions = {}): cloudwatch.Metric {
    return crawlMetric(this.name, name).with(options);
  }

  private watch(options: StackOptions, props: CrawlerProps): readonly cloudwatch.Alarm[] {
    const { functions, name } = this;
    const { frontier } = this.#stores;
    const { all } = new Alarms(this, 'Alarms', { options, frontier, functions, topic: props.alarmTopic });
    if (options.dashboard)
      new Dashboard(this, 'Dashboard', {
        stackName: name,
        frontier,
        functions: [...Object.values(functions), ...(this.smallWorker ? [this.smallWorker] : [])],
        alarms: all,
      });
    return all;
  }
}
