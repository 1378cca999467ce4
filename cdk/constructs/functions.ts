import { Duration } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import { smallWorkerOf } from '../../shared/crawler/worker/small-worker.ts';
import type { EncodedSettings } from '../../shared/engines/aws/settings.ts';
import {
  COMPACT_MORE,
  EXPORT_MORE,
  eventSource,
  START_SMALL,
} from '../../shared/services/webhook/event-types.ts';
import type { ExistingResources } from '../crawler-props.ts';
import type { StackOptions } from '../options.ts';
import { FUNCTIONS, type FunctionName } from '../permissions.ts';
import { CrawlerFunction, type CrawlerFunctionProps } from './crawler-function.ts';
import { FunctionCode } from './function-code.ts';
import { grantPermissions, type Stores } from './grants.ts';
import {
  EXPORTER_HEAP_MB,
  LINK_BATCH,
  LINK_WINDOW_BATCH,
  MEMORY_MB,
  routersFor,
  SHARD_ROUTERS,
  START_BATCH,
} from './sizes.ts';
import {
  API_TIMEOUT_S,
  COMPACTOR_TIMEOUT_S,
  EXPORTER_TIMEOUT_S,
  ROUTER_TIMEOUT_S,
  SHARD_WINDOW_S,
  WAKER_TIMEOUT_S,
} from './times.ts';

export interface FunctionsProps {
  readonly options: StackOptions;
  readonly settings: EncodedSettings;
  /** The settings as JSON, with the names that are known at deployment only. */
  readonly settingsJson: string;
  readonly stores: Stores;
  readonly existing: ExistingResources;
  readonly configFile?: string | undefined;
}

/** Lambda's least and most (Lambda developer guide, ephemeral storage). */
const MIN_DISK_MB = 512;
const MAX_DISK_MB = 10_240;
/** A Parquet file of each kind, 256 MB and a group of rows. */
const EXPORTER_DISK_MB = 2048;

type Own = Pick<CrawlerFunctionProps, 'memoryMb' | 'timeoutS' | 'isInLoop' | 'isTerse'> &
  Partial<CrawlerFunctionProps>;

/**
 * The six functions, the worker a second time with less memory, and their triggers. No concurrency is reserved: that
 * would be taken from the account's (10 in a new one) also while the stack rests. Instead:
 * - worker, router: bounded by their event sources.
 * - waker, compactor: bounded by their schedules. A run ends before the next one.
 * - exporter: bounded by the number of exports.
 * - API: bounded by its throttle.
 */
export class Functions extends Construct {
  readonly byName: Readonly<Record<FunctionName, lambda.Function>>;
  /** The worker with less memory, if there is one. */
  readonly smallWorker?: lambda.Function;
  private readonly code: FunctionCode;

  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    const { options, stores } = props;
    const own = ownOf(props);
    this.code = new FunctionCode(props.configFile);
    const entries = FUNCTIONS.map((name) => [name, this.create(name, own[name], props)] as const);
    const created = Object.fromEntries(entries) as Record<FunctionName, CrawlerFunction>;
    this.byName = Object.fromEntries(entries.map(([name, { function: one }]) => [name, one])) as Record<
      FunctionName,
      lambda.Function
    >;
    const small = this.createSmallWorker(created.worker, own.worker, props);
    if (small) this.smallWorker = small;
    const { worker, router, waker, compactor, exporter } = this.byName;
    const { startQueue, linkQueue, linkShards } = stores.frontier;

    startFrom(worker, 'Starts', startQueue, {
      batchSize: START_BATCH,
      maxConcurrency: options.maxConcurrency,
    });
    startFrom(router, 'Links', linkQueue, {
      batchSize: options.routerWindow > 0 ? LINK_WINDOW_BATCH : LINK_BATCH,
      maxBatchingWindow: options.routerWindow > 0 ? Duration.seconds(options.routerWindow) : undefined,
      maxConcurrency: routersFor(options.maxConcurrency),
    });
    for (const [shard, queue] of linkShards.queues.entries()) {
      startFrom(router, `LinkShard${shard}`, queue, {
        batchSize: LINK_WINDOW_BATCH,
        maxBatchingWindow: Duration.seconds(SHARD_WINDOW_S),
        maxConcurrency: SHARD_ROUTERS,
      });
    }
    this.startEvery(waker, 'EveryMinute', Duration.minutes(1));
    this.startEvery(compactor, 'EveryHour', Duration.hours(1));
    this.startEvery(exporter, 'ExportsEveryHour', Duration.hours(1));
    this.startBy(compactor, 'More', { stack: options.stackName, type: COMPACT_MORE });
    this.startBy(exporter, 'MoreExports', { stack: options.stackName, type: EXPORT_MORE });
  }

  private create(name: FunctionName, own: Own, props: FunctionsProps): CrawlerFunction {
    const created = new CrawlerFunction(this, capitalized(name), {
      ...commonOf(name, props),
      ...own,
      code: this.code,
    });
    grantPermissions(created.role, name, props.stores);
    return created;
  }

  /** The worker once more, with less memory, started by events: an event source would cost $0.26 a month at rest. */
  private createSmallWorker(
    worker: CrawlerFunction,
    own: Own,
    props: FunctionsProps,
  ): lambda.Function | undefined {
    const { options } = props;
    const small = smallWorkerOf(options);
    if (small === undefined) return undefined;
    const { function: created } = new CrawlerFunction(this, 'SmallWorker', {
      ...commonOf('worker', props),
      ...own,
      code: this.code,
      memoryMb: small.memoryMb,
      diskMb: diskMbOf(small.maxHosts, props),
      environment: { ...own.environment, STRAND_SMALL_WORKER: 'true' },
      like: worker,
    });
    // Who starts it sees whether it has begun: a second try would come too late.
    created.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    this.startBy(created, 'StartsSmall', { stack: options.stackName, type: START_SMALL });
    return created;
  }

  /** By an event that functions put on the bus: the role of one that continues itself cannot name it. */
  private startBy(target: lambda.Function, id: string, event: { stack: string; type: string }): void {
    new events.Rule(this, id, {
      eventPattern: { source: [eventSource(event.stack)], detailType: [event.type] },
      targets: [new targets.LambdaFunction(target, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
  }

  /** A run that fails is not tried again: the next one does its work. */
  private startEvery(target: lambda.Function, id: string, period: Duration): void {
    target.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    new events.Rule(this, id, {
      schedule: events.Schedule.rate(period),
      targets: [new targets.LambdaFunction(target, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
  }
}

const commonOf = (name: FunctionName, { options, settingsJson, existing }: FunctionsProps) => ({
  options,
  name,
  settings: settingsJson,
  existing,
});

/** Disk for the bodies in flight: each may be as large as a crawl allows, and is on disk beyond its first MB. */
function diskMbOf(hosts: number, { settings }: FunctionsProps): number {
  const { maxBodyBytes } = parseConfig(settings.crawlDefaults);
  return Math.min(MAX_DISK_MB, Math.max(MIN_DISK_MB, Math.ceil((hosts * maxBodyBytes) / 2 ** 20)));
}

function ownOf(props: FunctionsProps): Record<FunctionName, Own> {
  const { options, configFile } = props;
  return {
    worker: {
      memoryMb: options.workerMemoryMb,
      timeoutS: options.workerTimeout,
      diskMb: diskMbOf(options.hostsPerWorker, props),
      environment: options.workerEnvironment,
      isInLoop: true,
    },
    router: { memoryMb: MEMORY_MB.router, timeoutS: ROUTER_TIMEOUT_S, isInLoop: true },
    waker: {
      memoryMb: MEMORY_MB.waker,
      timeoutS: WAKER_TIMEOUT_S,
      isInLoop: true,
      isTerse: true,
      environment: {
        // The project's file may read them.
        ...(configFile !== undefined && options.workerEnvironment),
      },
    },
    api: { memoryMb: MEMORY_MB.api, timeoutS: API_TIMEOUT_S },
    // They start themselves by events, which Lambda does not count as a loop today.
    compactor: { memoryMb: MEMORY_MB.compactor, timeoutS: COMPACTOR_TIMEOUT_S, isInLoop: true },
    exporter: {
      memoryMb: MEMORY_MB.exporter,
      heapMb: EXPORTER_HEAP_MB,
      timeoutS: EXPORTER_TIMEOUT_S,
      diskMb: EXPORTER_DISK_MB,
      isInLoop: true,
    },
  };
}

/**
 * Without the event source construct of the CDK, which would grant the role more than it needs. A record
 * reported as failed comes back alone; a batch that throws comes back whole, and slows the poller.
 */
function startFrom(
  target: lambda.Function,
  id: string,
  queue: sqs.Queue,
  options: Omit<lambda.EventSourceMappingOptions, 'eventSourceArn' | 'reportBatchItemFailures'>,
): void {
  target.addEventSourceMapping(id, {
    ...options,
    eventSourceArn: queue.queueArn,
    reportBatchItemFailures: true,
  });
}

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
