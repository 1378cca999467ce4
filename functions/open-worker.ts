/** The worker function without its entry module: the handler, and what the thread that watches it calls. */
import type { Context, SQSBatchResponse } from 'aws-lambda';
import bundled from '#strand-config';
import { lazy } from '../shared/core/base/lazy.ts';
import { SIZES } from '../shared/core/base/sizes.ts';
import { parseConfig } from '../shared/core/crawl/config.ts';
import { documentTimesWithin } from '../shared/crawler/media-thread/document-times.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { Engine } from '../shared/crawler/ports/engine.ts';
import type { Fetcher } from '../shared/crawler/ports/fetcher.ts';
import { createLanes } from '../shared/crawler/worker/lanes.ts';
import { cpuShareOf, smallWorkerOf } from '../shared/crawler/worker/small-worker.ts';
import { costOf } from '../shared/engines/aws/cost/prices.ts';
import { stackPrices } from '../shared/engines/aws/cost/stack-prices.ts';
import { createOwnEvents } from '../shared/engines/aws/own-events.ts';
import { type StackSettings, timesOf } from '../shared/engines/aws/settings.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import type { StartSmall } from '../shared/engines/aws/workers/worker-pool.ts';
import { createAccounts } from '../shared/services/accounts/create-accounts.ts';
import { readParameter } from '../shared/services/accounts/read-parameter.ts';
import { createReferenceReader } from '../shared/services/accounts/read-reference.ts';
import { createDocumentReading } from '../shared/services/hooks/document-reading.ts';
import { keepsCookies } from '../shared/services/project/keeps-cookies.ts';
import { hasOwnCode } from '../shared/services/project/own-code.ts';
import type { StrandConfig } from '../shared/services/project/project.ts';
import { START_SMALL } from '../shared/services/webhook/event-types.ts';
import { type BlockedModule, SLOWNESS, startBlockGuard, storeBlocked, taskIn } from './block-guard.ts';
import { errorFields, type Log } from './log.ts';
import { smallDocumentMb, smallDocuments } from './small-documents.ts';
import { type FunctionStack, functionStack } from './stack.ts';
import { createWorkerFetchers } from './worker-fetchers.ts';
import { createWorkerHandler, type StartEvent, type WorkerStack } from './worker-handler.ts';
import { createFailureLog, createWorkerHooks, guardWorker } from './worker-hooks.ts';
import { createWorkerIdentity } from './worker-identity.ts';
import { createWorkerRendering } from './worker-rendering.ts';
import { createWorkerSecrets } from './worker-secrets.ts';

export interface WorkerParts {
  /**
   * Whether the function is the stack's small worker. Default: as its environment says, since that has the same code.
   */
  readonly isSmall?: boolean;
  /** Default: the project that was bundled. */
  readonly project?: StrandConfig;
  /** URL of the entry module: it exports {@link onBlocked}. */
  readonly module: string;
  /** Wraps the engine of each turn queue. Default: the engine itself. */
  readonly wrapEngine?: <E extends Engine>(engine: E) => E;
  /** Wraps the fetcher of each crawl. Default: the fetcher itself. */
  readonly wrapFetcher?: (fetcher: Fetcher) => Fetcher;
  /** Starts the watchdog of this thread. Default: {@link startBlockGuard}, a thread of its own. */
  readonly startGuard?: typeof startBlockGuard;
  /** Keeps this process whatever the project's own code leaves behind. Default: {@link guardWorker}. */
  readonly guardProcess?: typeof guardWorker;
}

type Handler = (event: StartEvent, context: Context) => Promise<SQSBatchResponse>;

/** Creates the handler of the function. The stack is opened at the first event. */
export function createWorkerFunction(parts: WorkerParts, functionsOf = functionStack): Handler {
  const worker = lazy(() => openWorker(parts, functionsOf()));
  return async (event, context) => {
    const { handler, identity, secrets } = await worker();
    await Promise.all([identity.load(), secrets.load()]);
    return handler(event, context);
  };
}

async function openWorker(
  {
    module,
    isSmall = process.env.STRAND_SMALL_WORKER === 'true',
    project = bundled,
    wrapEngine = same,
    wrapFetcher = same,
    startGuard = startBlockGuard,
    guardProcess = guardWorker,
  }: WorkerParts,
  { settings, clock, log, write, reportNewer, announce, open }: FunctionStack,
) {
  const prices = stackPrices(settings);
  const identity = createWorkerIdentity({ parameter: settings.identityParameter, clock, log, announce });
  const { sign } = identity;
  const secrets = createWorkerSecrets({ parameter: settings.secretsParameter, clock, log, announce });
  const middleware = project.middleware ?? [];
  const fetchers = createWorkerFetchers({ settings, clock, log, middleware, sign });
  const hooks = createWorkerHooks({ project, clock, log });
  const modules = project.modules ?? [];
  if (hooks !== undefined || modules.length > 0) guardProcess(log);
  const startSmall = startSmallBy(settings, clock, log);
  let last: { readonly opened: OpenedStack; readonly stack: WorkerStack } | undefined;

  function openFor(turnQueueUrl: string): WorkerStack {
    const opened = open(turnQueueUrl, { startSmall, keepsCookies: keepsCookies(project) });
    if (last?.opened !== opened) {
      const { engine, meter, flushMeter, noteSpend } = opened;
      const takeCost = () => costOf(meter.takeTotal(), prices).total;
      last = {
        opened,
        stack: { engine: wrapEngine(engine), meter, flushMeter, noteSpend, takeCost },
      };
    }
    return last.stack;
  }

  const smallMb = isSmall ? smallWorkerOf(settings)?.memoryMb : undefined;
  const documents = createDocumentReading({
    times: documentTimesWithin(timesOf(settings).maxDocumentMs),
    ...(smallMb !== undefined && { memoryMb: smallDocumentMb(smallMb) }),
    project: { modules, clock, onFailure: createFailureLog(log) },
  });

  // Pages are rendered in turns of the stack that was opened last.
  const meter = () => (last as NonNullable<typeof last>).opened.meter;
  const rendering = await createWorkerRendering({ settings, project, clock, log, isSmall, meter });
  const handler = createWorkerHandler({
    isSmall,
    settings,
    clock,
    log,
    open: openFor,
    lanes: createLanes(clock, SIZES.maxIdleLanes),
    fetchers: {
      ...fetchers,
      of: ({ id, config }) => wrapFetcher(fetchers.of({ id, config: secrets.settingsOf(config) })),
    },
    usedBytes: () => process.memoryUsage.rss(),
    cpuMs,
    hasOwnCode: hasOwnCode(project),
    accounts: accountsOf(project),
    write,
    reportNewer,
    ...(hooks && { hooks }),
    rendering,
    documents: smallMb === undefined ? documents : smallDocuments(documents),
    work: startGuard({
      module,
      blockTimeoutMs: parseConfig(settings.crawlDefaults).blockTimeoutMs,
      // A page takes as much more time as there is less of a CPU.
      ...(smallMb !== undefined && {
        slowness: (SLOWNESS * cpuShareOf(settings.workerMemoryMb)) / cpuShareOf(smallMb),
      }),
    }),
  });
  return { handler, identity, secrets };
}

const accountsOf = ({ accounts = [] }: StrandConfig) =>
  createAccounts(accounts, createReferenceReader({ environment: {}, readParameter }));

/** Small workers are started by events: a start queue of their own would cost $0.26 a month at rest. */
function startSmallBy(settings: StackSettings, clock: Clock, log: Log): StartSmall | undefined {
  if (smallWorkerOf(settings) === undefined) return undefined;
  const putEvent = createOwnEvents(clock);
  return async (start) => {
    try {
      return await putEvent(START_SMALL, { stack: settings.stack, ...start });
    } catch (error) {
      // A worker of full size is started instead.
      log('warn', { pool: 'a small worker cannot be started', ...errorFields(error) });
      return false;
    }
  };
}

const same = <T>(value: T): T => value;

/** CPU time of this process since it began, in ms. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Called in the thread that watches, when a page blocks the one that crawls. */
export const onBlocked: BlockedModule['onBlocked'] = (memory, blockedMs) => {
  const { clock, log, open } = functionStack();
  return storeBlocked({ ledgers: open().engine.ledgers, clock, log }, taskIn(memory), blockedMs);
};
