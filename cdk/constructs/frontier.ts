import { Duration } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { timesOf } from '../../shared/engines/aws/settings.ts';
import { startRetentionMs } from '../../shared/engines/aws/workers/start-message.ts';
import type { ExistingResources } from '../crawler-props.ts';
import type { StackOptions } from '../options.ts';
import { type NumberedQueues, numberedQueues } from './numbered-queues.ts';
import { ROUTER_TIMEOUT_S, SHARD_WINDOW_S } from './times.ts';

/**
 * Receives of a message before it counts as dead. Each receive counts, also those after which a host is only
 * parked, and those that never reached a function: an account whose concurrency is used up lets messages come
 * back each lease. A URL that kills its worker is set aside within about 10. A failing turn comes back after
 * 5 minutes at most, so an outage of the tables may last 8 hours before a host's messages are given up; a
 * message that kills every worker it meets stops doing so after 100 leases, 9 hours with the default.
 */
const MAX_RECEIVES = 100;

/** As long as SQS keeps anything. */
const RETENTION = Duration.days(14);

/** The queues: hosts' messages, links between hosts, and what nobody could work on. */
export class Frontier extends Construct {
  /** FIFO: a host is a message group of one of them, and is locked while its messages are received. */
  readonly turns: NumberedQueues;
  /** FIFO: for each of them, hosts of crawls that hold more than their share. */
  readonly backlogs: NumberedQueues;
  readonly turnDeadLetters: sqs.Queue;
  /** Standard: each message starts a worker, which then receives from one of the turn queues. */
  readonly startQueue: sqs.Queue;
  /** Standard: links, and seeds. */
  readonly linkQueue: sqs.Queue;
  readonly linkDeadLetters: sqs.Queue;
  /** Standard: links to very many hosts on their way, each host's in one of them. Empty by default. */
  readonly linkShards: NumberedQueues;

  constructor(
    scope: Construct,
    id: string,
    options: StackOptions,
    { encryptionKey }: Pick<ExistingResources, 'encryptionKey'>,
  ) {
    super(scope, id);
    const common = {
      ...(encryptionKey
        ? { encryption: sqs.QueueEncryption.KMS, encryptionMasterKey: encryptionKey }
        : { encryption: sqs.QueueEncryption.SQS_MANAGED }),
      enforceSSL: true,
      retentionPeriod: RETENTION,
    };
    // In high-throughput mode the limits on calls hold for each partition of the groups, not for the queue.
    const fifo = {
      ...common,
      fifo: true,
      deduplicationScope: sqs.DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: sqs.FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
    } as const;

    this.turnDeadLetters = new sqs.Queue(this, 'TurnDeadLetters', fifo);
    const { visibilityMs } = timesOf({ workerTimeoutMs: options.workerTimeout * 1000 });
    const { stackName } = options;
    this.turns = numberedQueues(
      this,
      { id: 'Turns', count: options.turnQueues },
      (n) => `${stackName}-turns-${n}.fifo`,
      {
        ...fifo,
        visibilityTimeout: Duration.millis(visibilityMs),
        deadLetterQueue: { queue: this.turnDeadLetters, maxReceiveCount: MAX_RECEIVES },
      },
    );

    this.backlogs = numberedQueues(
      this,
      { id: 'Backlog', count: options.turnQueues },
      (n) => `${stackName}-backlog-${n}.fifo`,
      {
        ...fifo,
        enforceSSL: false,
        deadLetterQueue: { queue: this.turnDeadLetters, maxReceiveCount: MAX_RECEIVES },
      },
    );
    refusePlainHttp(this, 'BacklogPolicy', this.backlogs.queues);

    this.linkDeadLetters = new sqs.Queue(this, 'LinkDeadLetters', common);
    this.startQueue = new sqs.Queue(this, 'Starts', {
      ...common,
      retentionPeriod: Duration.millis(startRetentionMs(visibilityMs)),
      // While the worker works, its message stays: if it dies, the message comes back later and finds that there are enough.
      visibilityTimeout: Duration.millis(visibilityMs),
      deadLetterQueue: { queue: this.linkDeadLetters, maxReceiveCount: MAX_RECEIVES },
    });
    // Visibility timeout: six times the function's time-out, and the window, as Lambda's developer guide requires
    // ("Using Lambda with Amazon SQS"): the poller tries a throttled batch again within it.
    const links = (windowS: number) => ({
      ...common,
      visibilityTimeout: Duration.seconds(6 * ROUTER_TIMEOUT_S + windowS),
      deadLetterQueue: { queue: this.linkDeadLetters, maxReceiveCount: MAX_RECEIVES },
    });
    this.linkQueue = new sqs.Queue(this, 'Links', links(options.routerWindow));
    const shardName = (n: number | '*') => `${stackName}-links-${n}`;
    this.linkShards = numberedQueues(
      this,
      { id: 'LinkShard', count: options.linkShards },
      shardName,
      links(SHARD_WINDOW_S),
    );
  }
}

/** Does what `enforceSSL` does, by one policy for all queues of a kind: a template has 500 resources at most. */
function refusePlainHttp(scope: Construct, id: string, queues: readonly sqs.Queue[]): void {
  const statement = new iam.PolicyStatement({
    effect: iam.Effect.DENY,
    principals: [new iam.AnyPrincipal()],
    actions: ['sqs:*'],
    resources: ['*'],
    conditions: { Bool: { 'aws:SecureTransport': 'false' } },
  });
  new sqs.CfnQueuePolicy(scope, id, {
    queues: queues.map(({ queueUrl }) => queueUrl),
    policyDocument: new iam.PolicyDocument({ statements: [statement] }),
  });
}
