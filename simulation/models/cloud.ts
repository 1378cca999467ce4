/**
 * The simulated account: a stack's queues, tables and bucket, on virtual time. One seed decides everything.
 * What runs on it is the engine `aws` itself, with its gathering, packing and retrying: only the services
 * below it are models.
 */

import { type Sizes, sizesOf } from '../../shared/core/base/sizes.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import type { AwsClients } from '../../shared/engines/aws/engine.ts';
import { type StackSettings, timesOf } from '../../shared/engines/aws/settings.ts';
import { type OpenedStack, type OpenStackOptions, openStack } from '../../shared/engines/aws/stack.ts';
import { DUE_AT, DUE_INDEX, DUE_SHARD } from '../../shared/engines/aws/state/tables.ts';
import { startRetentionMs } from '../../shared/engines/aws/workers/start-message.ts';
import { type CallFaults, type CallFaultsOptions, createCallFaults } from './call-faults.ts';
import { createSimClient, type Latency } from './client.ts';
import { drawClockSteps } from './clock-steps.ts';
import { createSimDynamo, type SimDynamo } from './dynamo.ts';
import { type Faults, NO_FAULTS } from './faults.ts';
import { awsLatency } from './latency.ts';
import { createProcess, type SimProcess } from './process.ts';
import { randomOf, uuidsOf } from './random.ts';
import { createSimS3, type SimS3 } from './s3.ts';
import type { SimService } from './service.ts';
import { createSimSqs, type QueueLimits, type SimSqs } from './sqs.ts';
import { createStorms } from './storms.ts';
import type { Trace } from './trace.ts';
import { createVirtualTime, T0, type TimeLimits, type VirtualTime } from './virtual-time.ts';

export interface SimCloud {
  /** Makes the UUIDs of all its processes. */
  readonly uuid: () => string;
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly calls: CallFaults;
  readonly sqs: SimSqs;
  readonly dynamo: SimDynamo;
  readonly s3: SimS3;
  readonly settings: StackSettings;
  /** The sizes of every process. */
  readonly sizes: Sizes;
  readonly trace?: Trace;
  /** Where messages of the turn queues end that were received too often. */
  readonly turnDeadLetterUrl: string;
  /** Begins a process, whose clock may be wrong. */
  begin(name: string): SimProcess;
  /** The services as the process calls them. */
  clientsOf(process: SimProcess): AwsClients;
  /** The stack as the process opens it. */
  open(
    process: SimProcess,
    options?: Pick<
      OpenStackOptions,
      'turnQueueUrl' | 'memoryMb' | 'clients' | 'startSmall' | 'onCorrupt' | 'onNewer'
    >,
  ): OpenedStack;
}

export interface SimCloudOptions {
  readonly seed: number;
  /** Made for the world's time, which is made first. */
  readonly faults?: (now: () => number) => Faults;
  /** Calls that are struck, and how long an invocation of each function has what it works on for itself. */
  readonly callFaults?: Pick<CallFaultsOptions, 'planned' | 'leaseMs'>;
  readonly settings?: Partial<StackSettings>;
  /** Default: those of a deployment. The model of S3 takes parts of uploads as small as theirs. */
  readonly sizes?: Sizes;
  readonly turnQueues?: number;
  /** Default: none. */
  readonly linkShards?: number;
  /** Receives after which a message goes to the dead letters. */
  readonly maxReceives?: number;
  readonly queueLimits?: Partial<QueueLimits>;
  /** Whether a message of a turn queue may be lost. */
  readonly mayLose?: (body: string) => boolean;
  readonly latency?: Latency;
  /** Default: none. */
  readonly timeLimits?: TimeLimits;
  readonly trace?: Trace;
}

/** The maximal error of a wrong clock, in either direction. */
export const MAX_SKEW_MS = 5000;
const MAX_RECEIVES = 100;
const HOOK_TIMEOUT_MS = parseConfig({}).hookTimeoutMs;
const WORKER_TIMEOUT_MS = 60_000;
/** As `cdk/constructs/frontier.ts` has them: without a window, and with that of the shards. */
const LINK_VISIBILITY_S = 360;
const LINK_SHARD_VISIBILITY_S = 660;

/** The queues that have hosts' messages. */
export const hostQueues = ({
  turnQueueUrls,
  backlogQueueUrls = [],
}: Pick<StackSettings, 'turnQueueUrls' | 'backlogQueueUrls'>): readonly string[] => [
  ...turnQueueUrls,
  ...backlogQueueUrls,
];

export function createSimCloud(options: SimCloudOptions): SimCloud {
  const sizes = sizesOf(options);
  const { seed, latency = awsLatency, maxReceives = MAX_RECEIVES, trace } = options;
  const time = createVirtualTime(randomOf(seed, 'ties'), T0, options.timeLimits);
  const faults = options.faults?.(time.now) ?? NO_FAULTS;
  const uuid = uuidsOf(randomOf(seed, 'uuids'));
  const world = { time, faults, trace, uuid };
  const sqs = createSimSqs({
    ...world,
    random: randomOf(seed, 'sqs'),
    limits: options.queueLimits,
    mayLose: options.mayLose,
  });
  const dynamo = createSimDynamo({ ...world, random: randomOf(seed, 'dynamo') });
  const s3 = createSimS3({ ...world, random: randomOf(seed, 's3'), minPartBytes: sizes.uploadPartBytes });
  const calls = createCallFaults({ ...world, planned: [], leaseMs: () => 0, ...options.callFaults });
  const isStormy = createStorms(time.now, faults);

  const workerTimeoutMs = options.settings?.workerTimeoutMs ?? WORKER_TIMEOUT_MS;
  const visibilityS = timesOf({ workerTimeoutMs }).visibilityMs / 1000;
  const turnDeadLetterUrl = sqs.createQueue({ name: 'turns-dead.fifo', isFifo: true, visibilityS: 30 });
  const turnQueueUrls = Array.from({ length: options.turnQueues ?? 2 }, (_, shard) =>
    sqs.createQueue({
      name: `turns-${shard}.fifo`,
      isFifo: true,
      visibilityS,
      deadLetter: { queueUrl: turnDeadLetterUrl, maxReceives },
    }),
  );
  const backlogQueueUrls = turnQueueUrls.map((_, shard) =>
    sqs.createQueue({
      name: `backlog-${shard}.fifo`,
      isFifo: true,
      visibilityS: 30,
      deadLetter: { queueUrl: turnDeadLetterUrl, maxReceives },
    }),
  );
  const linkDeadLetterUrl = sqs.createQueue({ name: 'links-dead', isFifo: false, visibilityS: 30 });
  const startQueueUrl = sqs.createQueue({
    name: 'starts',
    isFifo: false,
    visibilityS,
    retentionS: startRetentionMs(visibilityS * 1000) / 1000,
    deadLetter: { queueUrl: linkDeadLetterUrl, maxReceives },
  });
  const linkQueueUrl = sqs.createQueue({
    name: 'links',
    isFifo: false,
    visibilityS: LINK_VISIBILITY_S,
    deadLetter: { queueUrl: linkDeadLetterUrl, maxReceives },
  });
  const linkShardUrls = Array.from({ length: options.linkShards ?? 0 }, (_, shard) =>
    sqs.createQueue({
      name: `links-${shard}`,
      isFifo: false,
      visibilityS: LINK_SHARD_VISIBILITY_S,
      deadLetter: { queueUrl: linkDeadLetterUrl, maxReceives },
    }),
  );
  dynamo.createTable({
    name: 'CrawlState',
    index: { name: DUE_INDEX, partitionKey: DUE_SHARD, sortKey: DUE_AT },
  });
  dynamo.createTable({ name: 'UrlSeen' });
  s3.createBucket('archive');

  const settings: StackSettings = {
    stack: 'Sim',
    crawlState: 'CrawlState',
    urlSeen: 'UrlSeen',
    bucket: 'archive',
    turnQueueUrls,
    backlogQueueUrls,
    startQueueUrl,
    linkQueueUrl,
    linkShardUrls,
    linkDeadLetterUrl,
    turnDeadLetterUrl,
    dueShards: 2,
    workerTimeoutMs,
    hostsPerWorker: 20,
    workersPerQueue: 25,
    workerMemoryMb: 1769,
    // More than any world costs.
    limits: { maxCostPerDay: 1000 },
    // As the CDK fits it (`cdk/settings.ts`).
    crawlDefaults: {
      hookTimeoutMs: Math.min(HOOK_TIMEOUT_MS, timesOf({ workerTimeoutMs }).maxHookTimeoutMs),
    },
    defaultCrawl: 'default',
    allowPrivateAddresses: [],
    // Its worlds may have hooks.
    hasHooks: true,
    ...options.settings,
  };

  let clients = 0;
  function clientsOf(process: SimProcess): AwsClients {
    const clientOf = (service: SimService) =>
      createSimClient({
        service,
        process,
        time,
        random: randomOf(seed, 'client', ++clients),
        faults,
        calls,
        latency,
        isThrottled: isStormy,
        trace,
      });
    return { sqs: clientOf(sqs), dynamo: clientOf(dynamo), s3: clientOf(s3) } as unknown as AwsClients;
  }

  let processes = 0;
  return {
    ...world,
    calls,
    sqs,
    dynamo,
    s3,
    settings,
    sizes,
    turnDeadLetterUrl,
    begin(name) {
      const isWrong = faults.strikes('clockSkew');
      return createProcess({
        ...world,
        name,
        random: randomOf(seed, 'process', ++processes),

        skewMs: isWrong ? Math.round((faults.random('clockSkew') * 2 - 1) * MAX_SKEW_MS) : 0,
        clockSteps: faults.strikes('clockStepped') ? drawClockSteps(faults, time.now()) : [],
      });
    },
    clientsOf,
    open: (process, more) =>
      openStack(settings, { clock: process.clock, clients: clientsOf(process), sizes, ...more }),
  };
}
