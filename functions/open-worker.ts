/** The worker function without its entry module: the handler, and what the thread that watches it calls. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import project from '#strand-config';
import { parseConfig } from '../shared/crawl/config.ts';
import { costOf } from '../shared/engines/aws/cost/prices.ts';
import { stackPrices } from '../shared/engines/aws/cost/stack-prices.ts';
import { timesOf } from '../shared/engines/aws/settings.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import { createDocumentReading } from '../shared/hooks/document-reading.ts';
import { lazy } from '../shared/lazy.ts';
import type { Engine } from '../shared/ports/engine.ts';
import type { Fetcher } from '../shared/ports/fetcher.ts';
import { SIZES } from '../shared/sizes.ts';
import { createLanes } from '../shared/worker/lanes.ts';
import { type BlockedModule, startBlockGuard, storeBlocked, taskIn } from './block-guard.ts';
import { writeLine } from './log.ts';
import { functionStack } from './stack.ts';
import { createWorkerFetchers } from './worker-fetchers.ts';
import { createWorkerHandler, type WorkerStack } from './worker-handler.ts';
import { createFailureLog, createWorkerHooks, guardWorker } from './worker-hooks.ts';
import { createWorkerIdentity } from './worker-identity.ts';

export interface WorkerParts {
  /** URL of the entry module: it exports {@link onBlocked}. */
  readonly module: string;
  /** Wraps the engine of each turn queue. Default: the engine itself. */
  readonly wrapEngine?: <E extends Engine>(engine: E) => E;
  /** Wraps the fetcher of each crawl. Default: the fetcher itself. */
  readonly wrapFetcher?: (fetcher: Fetcher) => Fetcher;
}

type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** Creates the handler of the function. The stack is opened at the first event. */
export function createWorkerFunction(parts: WorkerParts): Handler {
  const worker = lazy(() => openWorker(parts));
  return async (event, context) => {
    const { handler, identity } = worker();
    await identity.load();
    return handler(event, context);
  };
}

function openWorker({ module, wrapEngine = same, wrapFetcher = same }: WorkerParts) {
  const { settings, clock, log, reportNewer, announce, open } = functionStack();
  const prices = stackPrices(settings);
  const identity = createWorkerIdentity({ parameter: settings.identityParameter, clock, log, announce });
  const { sign } = identity;
  const middleware = project.middleware ?? [];
  const fetchers = createWorkerFetchers({ settings, clock, log, middleware, sign });
  const hooks = createWorkerHooks({ project, clock, log });
  const modules = project.modules ?? [];
  if (hooks !== undefined || modules.length > 0) guardWorker(log);
  let last: { readonly opened: OpenedStack; readonly stack: WorkerStack } | undefined;

  function openFor(turnQueueUrl: string): WorkerStack {
    const opened = open(turnQueueUrl);
    if (last?.opened !== opened) {
      const { engine, meter, flushMeter } = opened;
      const takeCost = () => costOf(meter.takeTotal(), prices).total;
      last = {
        opened,
        stack: { engine: wrapEngine(engine), meter, flushMeter, takeCost },
      };
    }
    return last.stack;
  }

  const handler = createWorkerHandler({
    settings,
    clock,
    log,
    open: openFor,
    lanes: createLanes(clock, SIZES.maxIdleLanes),
    fetchers: { ...fetchers, of: (crawl) => wrapFetcher(fetchers.of(crawl)) },
    usedBytes: () => process.memoryUsage.rss(),
    write: writeLine,
    reportNewer,
    ...(hooks && { hooks }),
    documents: createDocumentReading({
      limitMs: timesOf(settings).maxDocumentMs,
      project: { modules, clock, onFailure: createFailureLog(log) },
    }),
    work: startBlockGuard({
      module,
      blockTimeoutMs: parseConfig(settings.crawlDefaults).blockTimeoutMs,
    }),
  });
  return { handler, identity };
}

const same = <T>(value: T): T => value;

/** Called in the thread that watches, when a page blocks the one that crawls. */
export const onBlocked: BlockedModule['onBlocked'] = (memory, blockedMs) => {
  const { clock, log, open } = functionStack();
  return storeBlocked({ ledgers: open().engine.ledgers, clock, log }, taskIn(memory), blockedMs);
};
