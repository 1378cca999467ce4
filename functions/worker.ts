/** The function that crawls: started by the messages of the turn queues. */

import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import project from '#strand-config';
import { parseConfig } from '../shared/crawl/config.ts';
import { costOf } from '../shared/engines/aws/cost/prices.ts';
import { stackPrices } from '../shared/engines/aws/cost/stack-prices.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import { lazy } from '../shared/lazy.ts';
import { SIZES } from '../shared/sizes.ts';
import { createLanes } from '../shared/worker/lanes.ts';
import { type BlockedModule, startBlockGuard, storeBlocked, taskIn } from './block-guard.ts';
import { writeLine } from './log.ts';
import { functionStack } from './stack.ts';
import { readTestFaults, withFaultyCommits, withPoisonPage } from './test-faults.ts';
import { createWorkerFetchers } from './worker-fetchers.ts';
import { createWorkerHandler, type WorkerStack } from './worker-handler.ts';

const CHANCE = { random: Math.random, exit: () => process.exit(1) };

const worker = lazy(() => {
  const { settings, clock, log, open } = functionStack();
  const faults = readTestFaults(process.env);
  const prices = stackPrices(settings);
  const fetchers = createWorkerFetchers({ settings, clock, log, middleware: project.middleware ?? [] });
  let last: { readonly opened: OpenedStack; readonly stack: WorkerStack } | undefined;

  function openFor(turnQueueUrl: string): WorkerStack {
    const opened = open(turnQueueUrl);
    if (last?.opened !== opened) {
      const { engine, meter, flushMeter } = opened;
      const takeCost = () => costOf(meter.takeTotal(), prices).total;
      last = {
        opened,
        stack: { engine: withFaultyCommits(engine, faults, CHANCE), meter, flushMeter, takeCost },
      };
    }
    return last.stack;
  }

  return createWorkerHandler({
    settings,
    clock,
    log,
    open: openFor,
    lanes: createLanes(clock, SIZES.maxIdleLanes),
    fetchers: { ...fetchers, of: (crawl) => withPoisonPage(fetchers.of(crawl), faults, CHANCE) },
    write: writeLine,
    work: startBlockGuard({
      module: import.meta.url,
      blockTimeoutMs: parseConfig(settings.crawlDefaults).blockTimeoutMs,
    }),
  });
});

export const handler = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
  worker()(event, context);

/** Called in the thread that watches, when a page blocks the one that crawls. */
export const onBlocked: BlockedModule['onBlocked'] = (memory, blockedMs) => {
  const { clock, log, open } = functionStack();
  return storeBlocked({ ledgers: open().engine.ledgers, clock, log }, taskIn(memory), blockedMs);
};
