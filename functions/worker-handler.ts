import type { Context, EventBridgeEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { parseConfig } from '../shared/core/crawl/config.ts';
import { NewerFormat } from '../shared/core/frontier/bytes.ts';
import { MAX_RENDER_MS } from '../shared/core/render/page-limits.ts';
import { endCrawlsAtLimits } from '../shared/crawler/crawl-state/limits.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { Engine } from '../shared/crawler/ports/engine.ts';
import type { HostDeliveries } from '../shared/crawler/ports/turn-queue.ts';
import type { Accounts } from '../shared/crawler/turn/access/accounts.ts';
import type { DocumentReading } from '../shared/crawler/turn/page/document-reading.ts';
import type { PageWork } from '../shared/crawler/turn/page/page-work.ts';
import { HOOK_CALLS, type PageHooks, type ReadLanguage } from '../shared/crawler/turn/page-hooks.ts';
import type { OpenRendering } from '../shared/crawler/turn/render/rendering.ts';
import type { Lanes } from '../shared/crawler/turn/services.ts';
import { CpuPlaces } from '../shared/crawler/worker/cpu-places.ts';
import type { Fetchers } from '../shared/crawler/worker/fetchers.ts';
import { activeMembers, minRoomOf } from '../shared/crawler/worker/pool-plan.ts';
import {
  cpuShareOf,
  type Load,
  type SmallWorker,
  smallWorkerOf,
} from '../shared/crawler/worker/small-worker.ts';
import { startWorker, type Worker } from '../shared/crawler/worker/worker.ts';
import { polledRequests } from '../shared/engines/aws/cost/billed-units.ts';
import { type StackSettings, timesOf } from '../shared/engines/aws/settings.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import {
  parseStartText,
  type StartMessage,
  startMessageIn,
} from '../shared/engines/aws/workers/start-message.ts';
import { createLanguageReader } from '../shared/services/hooks/read-language.ts';
import { sourceIn } from './event-source.ts';
import { errorFields, type Log } from './log.ts';
import { placesIn } from './memory-places.ts';
import { createMetrics } from './metrics.ts';
import { PoolWorker, type PoolWorkerOptions } from './pool-worker.ts';
import { invoked } from './stack.ts';
import type { ReportNewer } from './unread-messages.ts';

export interface WorkerDeps {
  readonly settings: StackSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** The stack as seen from one of its turn queues. */
  readonly open: (turnQueueUrl: string) => WorkerStack;
  readonly fetchers: Fetchers;
  /** Belong to the process: they outlive an invocation. */
  readonly lanes: Lanes;
  /** The project's hooks, if it has any. */
  readonly hooks?: PageHooks;
  /** The project's accounts at sites, if it has any. */
  readonly accounts?: Accounts | undefined;
  /** Whether code of the project runs in the worker. Default: if it has hooks. */
  readonly hasOwnCode?: boolean;
  /** Finds the languages of pages. Default: by their texts. */
  readonly languageOf?: ReadLanguage;
  /** Reads documents. Default: they are archived unread. */
  readonly documents?: DocumentReading;
  /** Has pages rendered. Default: the stack has no browser. */
  readonly rendering?: OpenRendering | undefined;
  /** Bytes of memory that the process uses now, while it serves this number of hosts. */
  readonly usedBytes: (hosts: number) => number;
  /** CPU time of the process since it began, in milliseconds of one whole CPU. Default: it uses none. */
  readonly cpuMs?: () => number;
  /** Whether the function is the stack's small worker. */
  readonly isSmall?: boolean;
  /** Shows this thread's work to a watchdog. Default: no watchdog. */
  readonly work?: PageWork;
  /** Reports what a newer version has written. Default: as any other error of a turn. */
  readonly reportNewer?: ReportNewer;
  /** Takes the lines of metrics. */
  readonly write: (line: string) => void;
}

export interface WorkerStack extends Pick<OpenedStack, 'meter' | 'flushMeter' | 'noteSpend'> {
  readonly engine: Engine & Pick<OpenedStack['engine'], 'queue' | 'workers'>;
  /** US dollars that were used since the last call. */
  readonly takeCost: () => number;
}

/** Crawls that have reached a limit are ended, and hosts counted, this often. */
const WATCH_MS = 2000;
/** Metrics are written this often; CloudWatch keeps no finer grain than a minute. */
const REPORT_MS = 60_000;
/** So close to the end, limits are left to the waker: a slow call would cost the invocation its answer. */
const LAST_LOOK_MS = 5000;
/** For the work after the last turn: metrics, the meter's counts, the answer. */
const END_MS = 1000;
/** The event that starts a worker: a message of the start queue one of full size, an event of the account's bus a small one. */
export type StartEvent = SQSEvent | Pick<EventBridgeEvent<string, unknown>, 'detail'>;

/**
 * Serves as many hosts of a turn queue as it may, until none are left, its time is up, or the other workers have
 * capacity for them. The event that starts it names the turn queue.
 */
export function createWorkerHandler(deps: WorkerDeps) {
  const { settings, clock, log, isSmall = false } = deps;
  const small = smallOf(deps);
  const memoryPlaces = placesOf(deps, isSmall ? smallWorkerOf(settings) : undefined);
  const lastReceiveMs = lastReceiveOf(deps);

  return async (
    event: StartEvent,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<SQSBatchResponse> => {
    const start = startIn(event, settings);
    const queueUrl = settings.turnQueueUrls[start.queue];
    if (queueUrl === undefined) {
      log('warn', { message: 'A message to start a worker names no turn queue of the stack', ...start });
      return { batchItemFailures: [] };
    }
    const stack = deps.open(queueUrl);
    let watching: ReturnType<typeof watch> | undefined;

    const places = isSmall ? memoryPlaces : withCpuPlaces(memoryPlaces, settings);

    async function serve(): Promise<void> {
      // Not before `invoked` has adopted the machine's time, which may have been set back since the last invocation.
      const endsAt = clock.now() + context.getRemainingTimeInMillis();
      const times = { receiveUntil: endsAt - lastReceiveMs, lastCallAt: endsAt - LAST_LOOK_MS };
      const pool = openPool(start, stack, { small, ...places, ...times }, deps);
      if ('Records' in event)
        stack.meter.add('sqsStandardRequests', polledRequests(event.Records.map(({ body }) => body)));
      if (start.apart) {
        watching = await serveApart(start, stack, { endsAt, lastReceiveMs }, deps);
        return;
      }
      if (!isSmall && small && (await isPassedOn(start, stack, log))) return;
      // A caller who may put events on the account's bus can request any number.
      const workers = Math.min(start.workers, stack.engine.workers.maxWorkers);
      if (!(await pool.join(workers, start.inPlaceOf))) return;
      const queue = pool.watch(stack.engine.queue);
      const engine = { ...stack.engine, queue };
      const worker = startWorker(engine, (crawl) => deps.fetchers.of(crawl), {
        ...places,
        ...partsOf(deps),
        ...(isSmall && { onTooLarge: () => pool.leaveToLarger() }),
        receiveUntil: endsAt - lastReceiveMs,
        deadline: endsAt - END_MS,
        drain: pool.drain,
        beforeIdleEnd: () => pool.hide(),
        handOver: (hosts) => handOver(stack, start.queue, hosts, log),
      });
      watching = watch(worker, stack, endsAt, deps);
      pool.follow(() => worker.stats);
      try {
        await worker.done;
      } catch (error) {
        // A thrown error slows the poller down, which is right only if nothing works at all.
        log('error', errorFields(error));
        if (worker.stats.turns === 0) throw error;
      } finally {
        await watching.end();
        await pool.leave();
      }
    }

    try {
      await invoked(stack, { ...deps, context }, serve);
      return { batchItemFailures: [] };
    } finally {
      // Now that the cost of the whole invocation is known.
      watching?.report();
    }
  };
}

const openPool = (
  { queue }: StartMessage,
  { engine: { workers: pool } }: WorkerStack,
  options: Pick<PoolWorkerOptions, 'placesFor' | 'small' | 'receiveUntil' | 'lastCallAt'>,
  { clock, log, isSmall = false, cpuMs = () => 0 }: WorkerDeps,
): PoolWorker => new PoolWorker({ pool, queue, clock, log, isSmall, cpuMs, ...options });

/** Serves hosts that another worker has handed over: a page of theirs may end this process. */
async function serveApart(
  { queue, apart = [], id = '' }: StartMessage,
  stack: WorkerStack,
  { endsAt, lastReceiveMs }: { readonly endsAt: number; readonly lastReceiveMs: number },
  deps: WorkerDeps,
): Promise<ReturnType<typeof watch> | undefined> {
  const { engine } = stack;
  if (!(await engine.workers.claimApart(queue, id))) return undefined;
  const taken = await Promise.all(apart.map((host) => engine.queue.unpack?.(host)));
  const hosts = taken.filter((host) => host !== undefined);
  const worker = startWorker(engine, (crawl) => deps.fetchers.of(crawl), {
    ...partsOf(deps),
    maxHosts: hosts.length,
    receiveUntil: endsAt - lastReceiveMs,
    deadline: endsAt - END_MS,
    apart: hosts,
  });
  const watching = watch(worker, stack, endsAt, deps);
  try {
    await worker.done;
  } finally {
    await watching.end();
  }
  await engine.workers.endApart(queue, id);
  // The one that handed them over may have ended since.
  await engine.workers.ensure(queue);
  return watching;
}

/** Starts a worker for these hosts alone, if their messages are not too large for that. */
async function handOver(
  { engine: { queue, workers } }: WorkerStack,
  of: number,
  hosts: readonly HostDeliveries[],
  log: Log,
): Promise<'accepted' | 'refused'> {
  const packed = hosts.map((host) => queue.pack?.(host)).filter((host) => host !== undefined);
  if (packed.length < hosts.length) return 'refused';
  try {
    return (await workers.startApart(of, packed)) ? 'accepted' : 'refused';
  } catch (error) {
    // Perhaps it has started: nobody else may serve them before their leases end.
    log('error', { notHandedOver: hosts.map(({ host }) => host), ...errorFields(error) });
    return 'accepted';
  }
}

/** A delayed message, which only the start queue can hold, may be for a small worker. False: it is not, or cannot be started. */
async function isPassedOn(
  { queue, workers, isSmall }: StartMessage,
  { engine: { workers: pool } }: WorkerStack,
  log: Log,
): Promise<boolean> {
  if (!isSmall) return false;
  try {
    const isEnough = activeMembers(await pool.members(queue)).length >= workers;
    return isEnough || (await pool.startSmall(queue, workers));
  } catch (error) {
    log('warn', { notStartedFor: queue, ...errorFields(error) });
    return false;
  }
}

/** The options of a worker that are the same for all invocations. */
const partsOf = (deps: WorkerDeps) => ({
  signal: new AbortController().signal,
  endsWhenIdle: true,
  lanes: deps.lanes,
  leaseOwner: () => deps.lanes.addresses.owner(),
  work: deps.work,
  hooks: deps.hooks,
  accounts: deps.accounts,
  languageOf: deps.languageOf ?? createLanguageReader(),
  ...(deps.documents && { documents: deps.documents }),
  ...(deps.rendering && { rendering: deps.rendering }),
  onError: turnErrorsTo(deps),
});

/**
 * The small worker that may replace this one. The limits of a project's own code are by the clock, and its use of
 * memory is unknown: it runs with the memory that the stack's options give it.
 */
function smallOf({ settings, hooks, hasOwnCode = hooks !== undefined }: WorkerDeps): SmallWorker | undefined {
  return hasOwnCode ? undefined : smallWorkerOf(settings);
}

interface Places {
  readonly maxHosts: number;
  readonly minRoom: number;
  readonly placesFor: (hosts: number) => number;
}

/** The places for hosts that a worker has by its memory: one of full size, or the small one. */
function placesOf({ settings, usedBytes }: WorkerDeps, small: SmallWorker | undefined): Places {
  const { hostsPerWorker, workerMemoryMb } = settings;
  const { maxHosts, memoryMb } = small ?? { maxHosts: hostsPerWorker, memoryMb: workerMemoryMb };
  const minRoom = minRoomOf(maxHosts);
  const placesFor = (hosts: number) => placesIn({ memoryMb, usedBytes }, { hosts, maxHosts, minRoom });
  return { maxHosts, minRoom, placesFor };
}

/** As above, where the CPU may be used up. If a small worker's CPU is used up, a worker of full size replaces it. */
function withCpuPlaces(places: Places, { workerMemoryMb }: StackSettings) {
  const cpu = new CpuPlaces({ ...places, cpuShare: cpuShareOf(workerMemoryMb) });
  return {
    ...places,
    placesFor: (hosts: number) => Math.min(places.placesFor(hosts), cpu.places),
    onLoad: (load: Load) => cpu.note(load),
  };
}

const turnErrorsTo =
  ({ log, reportNewer }: WorkerDeps) =>
  (error: unknown, host: string): void => {
    if (error instanceof NewerFormat && reportNewer) reportNewer(error, { host });
    else log('error', { host, ...errorFields(error) });
  };

/**
 * A host that is received later than this before the worker's end may not see its first request through. Throws if no
 * time is left for hosts: such a worker would do nothing but start its successor, over and over.
 */
function lastReceiveOf({ settings, hooks, documents, rendering }: WorkerDeps): number {
  const { workerTimeoutMs } = settings;
  const config = parseConfig(settings.crawlDefaults);
  const hooksMs = hooks ? HOOK_CALLS * config.hookTimeoutMs : 0;
  const documentMs = documents?.limitMs(config) ?? 0;
  const renderMs = rendering ? MAX_RENDER_MS : 0;
  const lastReceiveMs = workerTimeoutMs - timesOf(settings).receiveMs + hooksMs + documentMs + renderMs;
  if (lastReceiveMs < workerTimeoutMs) return lastReceiveMs;
  throw new Error(
    `Expected a worker to have time for hosts, got a time-out of ${workerTimeoutMs} ms, of which requests, hooks (${hooksMs} ms), documents (${documentMs} ms), rendering (${renderMs} ms) and the end may take ${lastReceiveMs} ms`,
  );
}

/** Looks after limits and metrics while the worker works. */
function watch(
  { stats, crawls }: Worker,
  { engine, takeCost, noteSpend }: WorkerStack,
  endsAt: number,
  deps: WorkerDeps,
) {
  const { clock, settings, write, log } = deps;
  const metrics = createMetrics({ stack: settings.stack, now: () => clock.now(), stats, takeCost, write });
  const ending = new AbortController();

  async function endAtLimits(): Promise<void> {
    try {
      // The status of a crawl that has had no turn lately may be old: a stopped one is not to be called
      // limited.
      for (const { id, budget } of crawls.known()) if (budget.metFinally()) await crawls.get(id);
      await endCrawlsAtLimits(engine, crawls);
    } catch (error) {
      log('error', errorFields(error));
    }
  }

  async function run(): Promise<void> {
    let reportedAt = clock.now();
    while (!ending.signal.aborted) {
      await clock.sleep(WATCH_MS, ending.signal);
      metrics.sample();
      if (clock.now() < endsAt - LAST_LOOK_MS) await endAtLimits();
      if (clock.now() - reportedAt < REPORT_MS || ending.signal.aborted) continue;
      metrics.report();
      await noteSpend();
      reportedAt = clock.now();
    }
  }

  const ended = run();
  return {
    report: metrics.report,
    end(): Promise<void> {
      ending.abort();
      return ended;
    },
  };
}

/** Returns the message that starts a worker. The batches of the start queue have one message. */
function startIn(event: StartEvent, { startQueueUrl }: StackSettings): StartMessage {
  if (!('Records' in event)) return startMessageIn(event.detail);
  const [record] = event.Records;
  if (sourceIn([startQueueUrl], event) === undefined)
    throw new Error(`Expected an event of the stack's start queue, got ${record?.eventSourceARN}`);
  return parseStartText(record?.body ?? '');
}
