/**
 * The stack's functions as they are deployed, in the simulated account: the handlers themselves, wired as
 * `functions/*.ts` wire them, and started as `cdk/constructs/functions.ts` has them started.
 */
import type { SQSEvent } from 'aws-lambda';
import {
  LINK_BATCH,
  LINK_WINDOW_BATCH,
  MEMORY_MB,
  routersFor,
  SHARD_ROUTERS,
  START_BATCH,
} from '../../cdk/constructs/sizes.ts';
import {
  COMPACTOR_TIMEOUT_S,
  ROUTER_TIMEOUT_S,
  SHARD_WINDOW_S,
  WAKER_TIMEOUT_S,
} from '../../cdk/constructs/times.ts';
import { parseOptions } from '../../cdk/options.ts';
import { Announcer } from '../../functions/announcer.ts';
import { ChangeFeed } from '../../functions/change-feed.ts';
import { createCompactorHandler } from '../../functions/compactor-handler.ts';
import { createCrawlEnd } from '../../functions/crawl-end.ts';
import { createDeadLetter } from '../../functions/dead-letter.ts';
import { errorFields, type Log } from '../../functions/log.ts';
import { openDailyLimit } from '../../functions/open-daily-limit.ts';
import { createRouterHandler } from '../../functions/router-handler.ts';
import { createUnreadHandlers } from '../../functions/unread-messages.ts';
import { createWakerHandler } from '../../functions/waker-handler.ts';
import { createWorkerHandler, type WorkerStack } from '../../functions/worker-handler.ts';
import { PAGES_AT_ONCE } from '../../functions/worker-rendering.ts';
import type { CrawlConfig } from '../../shared/core/crawl/config.ts';
import type { Link } from '../../shared/core/frontier/message.ts';
import type { UrlChange } from '../../shared/core/frontier/url-change.ts';
import { createCrawls } from '../../shared/crawler/crawl-state/crawls.ts';
import type { CrawlRecord } from '../../shared/crawler/ports/crawl-registry.ts';
import type { Engine } from '../../shared/crawler/ports/engine.ts';
import type { Fetcher } from '../../shared/crawler/ports/fetcher.ts';
import type { Accounts } from '../../shared/crawler/turn/access/accounts.ts';
import type { PageHooks } from '../../shared/crawler/turn/page-hooks.ts';
import { createRendering, type OpenRendering } from '../../shared/crawler/turn/render/rendering.ts';
import { createFetchers } from '../../shared/crawler/worker/fetchers.ts';
import { createLanes } from '../../shared/crawler/worker/lanes.ts';
import { smallWorkerOf } from '../../shared/crawler/worker/small-worker.ts';
import { compactCrawl } from '../../shared/engines/aws/archive/compactor.ts';
import { controlEngineOf } from '../../shared/engines/aws/control-engine.ts';
import { controlPolicyOf } from '../../shared/engines/aws/control-policy.ts';
import { costOf } from '../../shared/engines/aws/cost/prices.ts';
import { stackPrices } from '../../shared/engines/aws/cost/stack-prices.ts';
import { createCrawlDeletions } from '../../shared/engines/aws/deletion/crawl-deletions.ts';
import type { AwsClients } from '../../shared/engines/aws/engine.ts';
import { createInvokedRenderer } from '../../shared/engines/aws/invoke-renderer.ts';
import { parker } from '../../shared/engines/aws/queues/sqs-queue.ts';
import { timesOf } from '../../shared/engines/aws/settings.ts';
import type { OpenedStack } from '../../shared/engines/aws/stack.ts';
import type { StartMessage } from '../../shared/engines/aws/workers/start-message.ts';
import { allowLinearFlag } from '../../shared/engines/linear-regexps.ts';
import { createControl } from '../../shared/services/control/create-control.ts';
import { endedCrawl } from '../../shared/services/control/summarize-crawl.ts';
import type { StrandConfig } from '../../shared/services/project/project.ts';
import type { SimCloud } from '../models/cloud.ts';
import { createSimEvents } from '../models/events.ts';
import { createSimLambda, type SimFunction, type SimHandler } from '../models/lambda.ts';
import { createSimPoller, type SimPoller, type SimPollerOptions } from '../models/poller.ts';
import type { SqsEvent } from '../models/poller-event.ts';
import type { SimProcess } from '../models/process.ts';
import { randomOf } from '../models/random.ts';
import { createSimSchedule } from '../models/schedule.ts';
import { createEventReceiver, type EventReceiver } from './event-receiver.ts';
import type { Rollout } from './newer-version.ts';
import type { Desk } from './operator.ts';
import { openOperator } from './operator-process.ts';
import { createPageGuard } from './page-guard.ts';
import { simLanguage } from './sim-hooks.ts';
import type { SimRenderer } from './sim-renderer.ts';
import type { Failure, Harm, SentEvent, StrayedStart } from './spec.ts';
import { simNewerLog, simStackWatch } from './stack-watch.ts';

export interface DeployOptions {
  /** The fetcher of a worker's process for crawls of that configuration. */
  readonly fetcherOf: (process: SimProcess, config: CrawlConfig) => Fetcher;
  /** Workers at once, over all turn queues. Default: the stack's own. */
  readonly maxConcurrency?: number;
  /** Bytes of memory that a worker of this number of hosts uses. Default: none. */
  readonly usedBytes?: (hosts: number) => number;
  /** CPU ms that a process has used. Default: none. */
  readonly cpuMsOf?: (process: SimProcess) => number;
  readonly routerWindowMs?: number;
  /** The largest event of a link shard. Default: what Lambda allows. */
  readonly shardEventBytes?: number;
  /** Returns the harm that a page does to the worker that parses it. */
  readonly harmOf?: (url: string) => Harm | undefined;
  /** The function that renders pages. Default: the stack has none. */
  readonly renderer?: SimRenderer | undefined;
  /** The fetcher of requests that rendered pages make to other hosts. */
  readonly otherFetcherOf?: DeployOptions['fetcherOf'];
  /** The project's hooks in a worker's process. Default: it has none. */
  readonly hooksOf?: (process: SimProcess) => PageHooks;
  /** The project's accounts at sites in a worker's process. Default: it has none. */
  readonly accountsOf?: (() => Accounts | undefined) | undefined;
  /** The project's `onFinish` in a waker's process. Default: it has none. */
  readonly finishOf?: (process: SimProcess) => OnFinish;
  readonly hasCompactor?: boolean;
  readonly compactorPeriodMs?: number;
  /** The worker's engine, as a version of it has it. */
  readonly wrapWorkerEngine?: <E extends Engine>(process: SimProcess, engine: E) => E;
  /** Messages, as another version of worker and router sends and sees them. */
  readonly versions?: Pick<Rollout, 'wrapSqs' | 'seen'>;
}

export interface Deployment {
  /** An operator's, in a process of its own that no fault strikes: the same one each time. */
  operator(): Desk;
  readonly failures: readonly Failure[];
  /** Those that were sent to the operator's receiver. */
  readonly events: readonly SentEvent[];
  /** Changes of pages that the receiver has got. */
  readonly changes: readonly UrlChange[];
  readonly refusedHosts: EventReceiver['refusedHosts'];
  readonly strayedStarts: readonly StrayedStart[];
  readonly functions: {
    readonly worker: SimFunction<SqsEvent, unknown>;
    /** The small worker, which is started by events. */
    readonly small: SimFunction<StartMessage, unknown>;
    readonly router: SimFunction<SqsEvent, unknown>;
    readonly waker: SimFunction<undefined, unknown>;
    readonly compactor: SimFunction<undefined, unknown>;
  };
  readonly pollers: {
    readonly starts: SimPoller;
    readonly links: SimPoller;
    readonly linkShards: readonly SimPoller[];
  };
  /** The rules that invoke functions once a period are disabled until `enable` is called. */
  disableRules(): { enable(): void };
  /** Another version is deployed: no process serves another invocation. */
  replaceAll(): void;
  /** Nothing is started any more: what runs is seen to its end. */
  stop(): void;
  /** Kills the worker (router, ...) that has run the longest. Whether there is one. */
  killOne(name: keyof Deployment['functions']): boolean;
}

type FunctionName = keyof Deployment['functions'];
type OnFinish = NonNullable<StrandConfig['onFinish']>;

/** As `cdk/constructs/functions.ts` has them. */
const WAKER_PERIOD_MS = 60_000;
const COMPACTOR_PERIOD_MS = 3_600_000;
/** The least number that a worker's environment keeps (`functions/worker-fetchers.ts`). */
const MAX_FETCHERS = 8;

export function deploy(cloud: SimCloud, options: DeployOptions): Deployment {
  allowLinearFlag();
  const { time, faults, trace, sqs, settings } = cloud;
  const seed = seedOf(cloud);
  const defaults = parseOptions({});
  const { maxConcurrency = defaults.maxConcurrency, routerWindowMs = defaults.routerWindow * 1000 } = options;
  const failures: Failure[] = [];
  const receiver = createEventReceiver(time.now, randomOf(seed, 'event receiver'));
  const fail = (process: string, message: string) => failures.push({ at: time.now(), process, message });

  const logOf =
    (process: SimProcess): Log =>
    (level, fields) => {
      if (level === 'info') return;
      const message = String(
        fields.cause === undefined ? fields.message : `${fields.message} (${fields.cause})`,
      );
      trace?.({
        process: process.name,
        host: fields.host as string | undefined,
        what: `${level}: ${message}`,
      });
      if (level === 'error') fail(process.name, message);
    };

  function createFunction<Event>(
    name: FunctionName,
    timeoutMs: number,
    load: (process: SimProcess, log: Log) => SimHandler<Event, unknown>,
  ): SimFunction<Event, unknown> {
    return createSimLambda<Event, unknown>({
      name,
      time,
      faults,
      trace,
      timeoutMs,
      random: randomOf(seed, 'function', name),
      begin: cloud.begin,
      onBegin: (process) => cloud.calls.begin(name, process),
      load: (process) => load(process, logOf(process)),
      onFailure: ({ process, error }) => {
        const { message, cause } = errorFields(error);
        fail(process, cause === undefined ? message : `${message} (${cause})`);
      },
    });
  }

  const functions = {
    worker: createFunction<SqsEvent>('worker', settings.workerTimeoutMs, (process, log) =>
      ofSqs(loadWorker(process, log)),
    ),
    small: createFunction<StartMessage>('small', settings.workerTimeoutMs, (process, log) => {
      const handler = loadWorker(process, log, true);
      return (start, context) => handler({ detail: { stack: settings.stack, ...start } }, context);
    }),
    router: createFunction<SqsEvent>('router', ROUTER_TIMEOUT_S * 1000, loadRouter),
    waker: createFunction<undefined>('waker', WAKER_TIMEOUT_S * 1000, loadWaker),
    compactor: createFunction<undefined>('compactor', COMPACTOR_TIMEOUT_S * 1000, loadCompactor),
  };

  function clientsOf(process: SimProcess): AwsClients {
    const clients = cloud.clientsOf(process);
    return { ...clients, sqs: options.versions?.wrapSqs(process, clients.sqs) ?? clients.sqs };
  }

  const newerLog = (process: SimProcess, log: Log) => simNewerLog(cloud, process, log);

  const strayedStarts: StrayedStart[] = [];
  /** Events are delivered at least once, mostly, and with no delay that is promised. */
  const smallStarts = createSimEvents<StartMessage>({
    time,
    faults,
    random: randomOf(seed, 'events that start small workers'),
    trace,
    invoke: (start) => functions.small.invoke(start),
    onStray: ({ queue }) => strayedStarts.push({ queue, at: time.now() }),
  });

  function loadWorker(process: SimProcess, log: Log, isSmall = false) {
    const { clock } = process;
    const prices = stackPrices(settings);
    const fetchers = createFetchers({
      make: (config) => options.fetcherOf(process, config),
      max: MAX_FETCHERS,
      onError: (error) => log('warn', errorFields(error)),
    });
    const { harmOf } = options;
    const work = harmOf && createPageGuard({ cloud, process, harmOf, log });
    let last: { readonly turnQueueUrl: string; readonly stack: WorkerStack } | undefined;
    function open(turnQueueUrl: string): WorkerStack {
      if (last?.turnQueueUrl !== turnQueueUrl) {
        const opened: OpenedStack = cloud.open(process, {
          turnQueueUrl,
          memoryMb: isSmall ? settings.smallWorkerMemoryMb : settings.workerMemoryMb,
          ...(smallWorkerOf(settings) && {
            startSmall: (start: StartMessage) => smallStarts.put(process, start),
          }),
          clients: clientsOf(process),
          ...createUnreadHandlers({
            log,
            reportNewer: newerLog(process, log),
            deadLetters: () => ({ client: opened.clients.sqs, queueUrl: cloud.turnDeadLetterUrl, clock }),
          }),
        });
        const { meter, flushMeter, noteSpend } = opened;
        const engine = options.wrapWorkerEngine?.(process, opened.engine) ?? opened.engine;
        const takeCost = () => costOf(meter.takeTotal(), prices).total;
        last = { turnQueueUrl, stack: { engine, meter, flushMeter, noteSpend, takeCost } };
      }
      return last.stack;
    }
    return createWorkerHandler({
      isSmall,
      cpuMs: () => options.cpuMsOf?.(process) ?? 0,
      hasOwnCode: false,
      settings,
      clock,
      log,
      open,
      fetchers,
      lanes: createLanes(clock, cloud.sizes.maxIdleLanes),
      usedBytes: options.usedBytes ?? (() => 0),
      work,
      reportNewer: newerLog(process, log),
      languageOf: async ({ url }) => simLanguage(url),
      ...(options.hooksOf && { hooks: options.hooksOf(process) }),
      accounts: options.accountsOf?.(),
      rendering: options.renderer && renderingOf(process, isSmall, options.renderer, () => last!.stack.meter),
      // The web has no documents; that there might be some takes its share of a worker's time.
      documents: {
        reads: () => false,
        limitMs: () => timesOf(settings).maxDocumentMs,
        read: async () => ({ fault: 'not in a simulated web' }),
      },
      write() {},
    });
  }

  /** As `functions/worker-rendering.ts` has it. The web knows which requests are to other hosts than a page's own. */
  function renderingOf(
    process: SimProcess,
    isSmall: boolean,
    { invokerOf }: SimRenderer,
    meter: () => Pick<OpenedStack['meter'], 'add'>,
  ): OpenRendering {
    const { clock } = process;
    const renderer = createInvokedRenderer({ invoke: invokerOf(process), clock, meter });
    const open = createRendering({
      renderer,
      pagesAtOnce: isSmall ? PAGES_AT_ONCE.small : PAGES_AT_ONCE.full,
    });
    const { otherFetcherOf } = options;
    if (otherFetcherOf === undefined) return open;
    const others = createFetchers({ make: (config) => otherFetcherOf(process, config), max: MAX_FETCHERS });
    return (services) => open({ ...services, fetcherOf: (crawl) => others.of(crawl) });
  }

  function loadRouter(process: SimProcess, log: Log): SimHandler<SqsEvent, unknown> {
    const { clock } = process;
    const stack = cloud.open(process, { memoryMb: MEMORY_MB.router, clients: clientsOf(process) });
    const handler = ofSqs(
      createRouterHandler({
        settings,
        clock,
        log,
        stack,
        control: createControl(controlEngineOf(stack, settings), controlPolicyOf(settings)),
        crawls: createCrawls(stack.engine.registry, clock),
        deadLetter: createDeadLetter({
          client: stack.clients.sqs,
          queueUrl: settings.linkDeadLetterUrl,
          clock,
        }),
        park: parker({ client: stack.clients.sqs, clock }),
        reportNewer: newerLog(process, log),
      }),
    );
    const { versions } = options;
    return versions ? (event, context) => handler(versions.seen(process, event), context) : handler;
  }

  function loadWaker(process: SimProcess, log: Log): SimHandler<undefined, unknown> {
    const { clock } = process;
    const stack = cloud.open(process, { memoryMb: MEMORY_MB.waker });
    const { engine, meter } = stack;
    const summarize = (crawl: string, record: CrawlRecord) =>
      meter.run(crawl, () => endedCrawl(engine, crawl, record));
    const onFinish = options.finishOf?.(process);
    const finish = createCrawlEnd({
      load: async () => ({ onFinish }),
      state: engine.state,
      summarize,
      beginExport: async (crawl) => fail(process.name, `Expected no export of ${crawl}`),
      clock,
      // An error of the project's code is none of the waker.
      log: (level, fields) => log(level === 'error' ? 'warn' : level, fields),
    });
    return createWakerHandler({
      clock,
      log,
      stack,
      dailyLimit: openDailyLimit(stack, settings, {
        ...{ clock, log, announce: async () => {}, forget: async () => {} },
      }),
      announcer: new Announcer({
        registry: engine.registry,
        clock,
        log,
        sink: receiver.sink,
        summarize,
        ...(onFinish && { finish: (crawl, record) => meter.run(crawl, () => finish(crawl, record)) }),
      }),
      changeFeed: new ChangeFeed({
        s3: stack.clients.s3,
        bucket: settings.bucket,
        sink: receiver.sink,
        clock,
        log,
      }),
      watch: simStackWatch(cloud, process, log, stack),
    });
  }

  function loadCompactor(process: SimProcess, log: Log): SimHandler<undefined, unknown> {
    const { clock } = process;
    const stack = cloud.open(process, { memoryMb: MEMORY_MB.compactor });
    const { s3, dynamo } = stack.clients;
    return createCompactorHandler({
      clock,
      log,
      stack,
      deletions: createCrawlDeletions({ s3, dynamo, ...stack.engine, names: settings }),
      compact: (more) => compactCrawl({ s3, dynamo, clock, names: settings, sizes: cloud.sizes, ...more }),
    });
  }

  const world = { time, faults, trace };
  const starts = createSimPoller({
    ...world,
    random: randomOf(seed, 'start poller'),
    sqs,
    queueUrl: settings.startQueueUrl,
    isFifo: false,
    batchSize: START_BATCH,
    maxConcurrency,
    visibilityMs: timesOf(settings).leaseMs,
    invoke: functions.worker.invoke,
  });
  const linkPoller = (
    own: Pick<SimPollerOptions, 'random' | 'queueUrl' | 'windowMs' | 'maxEventBytes' | 'maxConcurrency'>,
  ) =>
    createSimPoller({
      ...world,
      ...own,
      sqs,
      isFifo: false,
      batchSize: own.windowMs === 0 ? LINK_BATCH : LINK_WINDOW_BATCH,
      visibilityMs: 6000 * ROUTER_TIMEOUT_S + (own.windowMs ?? 0),
      invoke: functions.router.invoke,
    });
  const links = linkPoller({
    random: randomOf(seed, 'link poller'),
    queueUrl: settings.linkQueueUrl,
    windowMs: routerWindowMs,
    maxConcurrency: routersFor(maxConcurrency),
  });
  const linkShards = settings.linkShardUrls.map((queueUrl, shard) =>
    linkPoller({
      random: randomOf(seed, 'link shard poller', shard),
      queueUrl,
      windowMs: SHARD_WINDOW_S * 1000,
      maxEventBytes: options.shardEventBytes,
      maxConcurrency: SHARD_ROUTERS,
    }),
  );
  const schedule = (name: 'waker' | 'compactor', periodMs: number) =>
    createSimSchedule({
      time,
      faults,
      random: randomOf(seed, 'schedule', name),
      periodMs,
      invoke: () => functions[name].invoke(undefined),
    });
  const beginRules = () => [
    schedule('waker', WAKER_PERIOD_MS),
    ...(options.hasCompactor
      ? [schedule('compactor', options.compactorPeriodMs ?? COMPACTOR_PERIOD_MS)]
      : []),
  ];
  let rules = beginRules();
  const endRules = () => {
    for (const end of rules) end();
  };

  let known: Desk | undefined;
  function operator(): Desk {
    if (!known) {
      const stack = openOperator(cloud, seed);
      const control = createControl(controlEngineOf(stack, settings), controlPolicyOf(settings));
      const { registry } = stack.engine;
      const sendText = (text: string) => stack.engine.exchange.sendTexts([text]);
      const recount = (crawl: string) => registry.recount(crawl, stack.engine.ledgers);
      const deletions = createCrawlDeletions({ ...stack.clients, ...stack.engine, names: settings });
      const send = (crawl: string, links: readonly Link[]) => stack.engine.exchange.send({ crawl, links });
      known = { control, registry, deletions, sendText, send, recount };
    }
    return known;
  }

  return {
    failures,
    strayedStarts,
    events: receiver.events,
    changes: receiver.changes,
    refusedHosts: receiver.refusedHosts,
    functions,
    pollers: { starts, links, linkShards },
    operator,
    stop() {
      endRules();
      for (const poller of [starts, links, ...linkShards]) poller.stop();
      smallStarts.stop();
    },
    disableRules() {
      endRules();
      return {
        enable() {
          rules = beginRules();
        },
      };
    },
    replaceAll() {
      for (const each of Object.values(functions)) each.replaceAll();
      options.renderer?.lambda.replaceAll();
    },
    killOne: (name) => functions[name].killOne('killed by the operator'),
  };
}

/** A number of the cloud's own: processes have chance by its seed. */
const seedOf = (cloud: SimCloud): number => Math.floor(cloud.begin('deployment').clock.random() * 2 ** 32);

/** The handlers take as much of an event as SQS fills in. */
const ofSqs =
  (
    handler: (event: SQSEvent, context: Parameters<SimHandler<SqsEvent, unknown>>[1]) => Promise<unknown>,
  ): SimHandler<SqsEvent, unknown> =>
  (event, context) =>
    handler(event as unknown as SQSEvent, context);
