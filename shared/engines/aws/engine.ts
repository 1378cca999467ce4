import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type Sizes, sizesOf } from '../../core/base/sizes.ts';
import { boundMethods } from '../../crawler/ports/bound-methods.ts';
import type { Clock } from '../../crawler/ports/clock.ts';
import type { Engine } from '../../crawler/ports/engine.ts';
import type { ItemStore } from '../../crawler/ports/item-store.ts';
import type { JarStore } from '../../crawler/ports/jar-store.ts';
import type { PayloadIndex } from '../../crawler/ports/payload-index.ts';
import type { SkipLog } from '../../crawler/ports/skip-log.ts';
import type { TurnQueue } from '../../crawler/ports/turn-queue.ts';
import { type ArchivesOptions, createArchives } from './archive/archives.ts';
import { createChangeObjects, createItemObjects } from './archive/item-objects.ts';
import { createSkipObjects } from './archive/skip-objects.ts';
import type { Meter } from './cost/meter.ts';
import { withEarlierPayloads } from './earlier/earlier-payloads.ts';
import { anyMessages } from './queues/any-messages.ts';
import type { UnreadHandlers } from './queues/delivery.ts';
import { createFairTurnQueue } from './queues/fair-turn-queue.ts';
import { createLinkExchange, type SqsLinkExchange } from './queues/link-exchange.ts';
import { createLinkShards, type LinkShards } from './queues/link-shards.ts';
import { createTurnQueue, type SqsTurnQueue } from './queues/turn-queue.ts';
import { createShardedTurnQueue } from './queues/turn-shards.ts';
import { recentPayloads } from './recent-payloads.ts';
import { type Agenda, StateAgenda } from './state/agenda.ts';
import { HookState } from './state/hook-state.ts';
import { createJarStore } from './state/jar-store.ts';
import { type AwsLedgerStore, createLedgerStore } from './state/ledger-store.ts';
import { SHARDED_SETTLE_MS } from './state/quiet.ts';
import { type AwsCrawlRegistry, createRegistry } from './state/registry.ts';
import type { StateNames } from './state/tables.ts';
import { UnjoinedCrawls } from './state/unjoined.ts';
import { AwsWorkerPool, type StartSmall, type WorkerPool } from './workers/worker-pool.ts';

export interface AwsClients {
  readonly dynamo: DynamoDBClient;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
}

export interface AwsNames extends StateNames {
  /** A host's messages are in one of them (`turn-shards.ts`). */
  readonly turnQueueUrls: readonly string[];
  /** The backlog of each turn queue (`fair-turn-queue.ts`). */
  readonly backlogQueueUrls: readonly string[];
  /** The queue whose messages start workers, and how many each turn queue has at most (`worker-pool.ts`). */
  readonly startQueueUrl: string;
  readonly workersPerQueue: number;
  readonly linkQueueUrl: string;
  /** Where the router gathers links once more, if anywhere (`link-shards.ts`). */
  readonly linkShardUrls?: readonly string[];
}

export interface AwsEngineOptions extends UnreadHandlers {
  readonly clients: AwsClients;
  readonly names: AwsNames;
  readonly clock: Clock;
  /** The turn queues' visibility timeout: the lease of a host. */
  readonly visibilityMs: number;
  /**
   * The one turn queue that is received from: the one whose event a function serves. Default: all in turn.
   */
  readonly turnQueueUrl?: string;
  readonly archive: Pick<ArchivesOptions, 'software' | 'prefix' | 'keepsCookies'>;
  readonly sizes?: Sizes;
  /** How long a crawl must have had nothing to do. Default 55,000. */
  readonly settleMs?: number;
  /** Whose list prices the crawls' cost is by. */
  readonly region?: string;
  /** Its usage is stored with the crawls' totals. */
  readonly meter?: Meter;
  /** Starts small workers, where the stack has them. Default: it starts none. */
  readonly startSmall?: StartSmall;
  /** Called with a message about work that could not be done at once, for people. */
  readonly warn?: (message: string) => void;
}

export interface AwsEngine extends Engine {
  readonly items: ItemStore;
  readonly skips: Required<SkipLog>;
  readonly payloads: PayloadIndex;
  readonly state: HookState;
  readonly jars: JarStore;
  readonly queue: TurnQueue;
  readonly exchange: SqsLinkExchange;
  readonly linkShards: LinkShards;
  readonly ledgers: AwsLedgerStore;
  readonly registry: AwsCrawlRegistry;
  /** When the waker looks at each crawl. */
  readonly agenda: Agenda;
  readonly unjoined: UnjoinedCrawls;
  readonly workers: WorkerPool;
}

/** For as long hosts of the backlog that a worker is moving are hidden from others. */
const BACKLOG_VISIBILITY_MS = 60_000;

/**
 * The engine on SQS, DynamoDB and S3. It holds nothing that must be closed: by design, only flushed and committed state
 * exists. The clients are the caller's to make, and to destroy.
 */
export function createAwsEngine(options: AwsEngineOptions): AwsEngine {
  const { clients, names, clock, archive, onCorrupt, onNewer, warn } = options;
  const { dynamo, s3, sqs } = clients;
  const sizes = sizesOf(options);
  const { turnQueueUrls, backlogQueueUrls, linkQueueUrl, linkShardUrls = [] } = names;
  const { agenda, registry, unjoined, state, ledgers } = openState(options, sizes);
  return {
    clock,
    sizes,
    registry,
    agenda,
    unjoined,
    state,
    queue: openTurnQueues(options, sizes),
    exchange: createLinkExchange({
      ...{ client: sqs, queueUrl: linkQueueUrl, clock, ...sizes },
      ...{ onCorrupt, onNewer },
    }),
    linkShards: createLinkShards({ client: sqs, queueUrls: linkShardUrls, clock, sizes }),
    workers: new AwsWorkerPool({
      dynamo,
      sqs,
      clock,
      table: names.crawlState,
      turnQueueUrls,
      backlogQueueUrls,
      startQueueUrl: names.startQueueUrl,
      maxWorkers: names.workersPerQueue,
      startSmall: options.startSmall,
      renewedMs: Math.min(sizes.renewedMs, options.visibilityMs),
    }),
    ledgers,
    jars: createJarStore({ dynamo, clock, table: names.crawlState }),
    items: createItemObjects({ s3, bucket: names.bucket, clock, storing: unjoined.whileEntered }),
    changes: createChangeObjects({ s3, bucket: names.bucket, clock }),
    payloads: withEarlierPayloads(recentPayloads(sizes.maxRecentPayloads), {
      ...{ s3, bucket: names.bucket, clock, sizes, ledgers, warn },
      mapping: { dynamo, clock, table: names.crawlState },
    }),
    skips: createSkipObjects({ s3, bucket: names.bucket, clock, gatherMs: sizes.archiveGatherMs }),
    archiveOf: createArchives({
      client: s3,
      bucket: names.bucket,
      clock,
      registry,
      storing: unjoined.whileEntered,
      maxBytes: sizes.warcObjectBytes,
      partBytes: sizes.uploadPartBytes,
      gatherMs: sizes.archiveGatherMs,
      ...archive,
    }),
  };
}

/** The parts that are kept in the tables. */
function openState(
  { clients, names, clock, settleMs, region, meter, warn }: AwsEngineOptions,
  sizes: Sizes,
): Pick<AwsEngine, 'agenda' | 'registry' | 'unjoined' | 'state' | 'ledgers'> {
  const { dynamo, s3, sqs } = clients;
  const { crawlState: table, turnQueueUrls, backlogQueueUrls, linkQueueUrl, linkShardUrls = [] } = names;
  // While crawls are at work, the first ones mostly have messages: then the others are not polled.
  const queueUrls = [...turnQueueUrls, ...backlogQueueUrls, linkQueueUrl, ...linkShardUrls];
  const agenda = boundMethods<Agenda>(new StateAgenda({ dynamo, clock, table }));
  const registry = createRegistry({
    dynamo,
    names,
    clock,
    sizes,
    agenda,
    settleMs,
    ...(linkShardUrls.length > 0 && { sharedSettleMs: SHARDED_SETTLE_MS }),
    region,
    meter,
    warn,
    hasMessages: () => anyMessages(sqs, queueUrls, clock),
  });
  const unjoined = new UnjoinedCrawls({ dynamo, clock, table });
  const state = new HookState({ dynamo, clock, table });
  const { onCommit } = registry;
  const { ensureDue } = agenda;
  const ledgers = createLedgerStore({ dynamo, s3, names, clock, sizes, state, ensureDue, onCommit });
  return { agenda, registry, unjoined, state, ledgers };
}

function openTurnQueues(options: AwsEngineOptions, sizes: Sizes): TurnQueue {
  const { clients, names, clock, visibilityMs, turnQueueUrl, onCorrupt, onNewer, warn } = options;
  const common = { client: clients.sqs, clock, ...sizes, onCorrupt, onNewer };
  const open = (queueUrl: string, more = {}) =>
    createTurnQueue({ ...common, queueUrl, visibilityMs, ...more });

  /** As a worker sees it. */
  function openFair(queueUrl: string, turns: SqsTurnQueue): TurnQueue {
    const backlogUrl = names.backlogQueueUrls[names.turnQueueUrls.indexOf(queueUrl)];
    if (backlogUrl === undefined) return turns;
    const again = open(queueUrl, { repeats: true });
    const backlog = open(backlogUrl, { repeats: true, visibilityMs: BACKLOG_VISIBILITY_MS });
    return createFairTurnQueue({ turns, again, backlog, clock, warn });
  }

  const byUrl = new Map(
    names.turnQueueUrls.map((queueUrl) => {
      const turns = open(queueUrl);
      return [queueUrl, queueUrl === turnQueueUrl ? openFair(queueUrl, turns) : turns];
    }),
  );
  const receiveFrom = turnQueueUrl === undefined ? undefined : byUrl.get(turnQueueUrl);
  if (turnQueueUrl !== undefined && !receiveFrom)
    throw new Error(`Expected one of the turn queues ${[...byUrl.keys()].join(', ')}, got ${turnQueueUrl}`);
  return createShardedTurnQueue([...byUrl.values()], { clock, receiveFrom });
}
