/** The function that crawls: started by the messages of the turn queues. */

import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import project from '#strand-config';
import { costOf } from '../shared/engines/aws/prices.ts';
import { stackPrices } from '../shared/engines/aws/stack-prices.ts';
import { writeLine } from './log.ts';
import { sumTakes } from './metrics.ts';
import { functionStack, once } from './stack.ts';
import { readTestFaults, withFaultyCommits, withPoisonPage } from './test-faults.ts';
import { createWorkerFetchers } from './worker-fetchers.ts';
import { createWorkerHandler, type WorkerStack } from './worker-handler.ts';

const CHANCE = { random: Math.random, exit: () => process.exit(1) };

const worker = once(() => {
  const { settings, clock, log, open } = functionStack();
  const faults = readTestFaults(process.env);
  const fetchers = createWorkerFetchers({ settings, clock, log, middleware: project.middleware ?? [] });
  const opened = new Map<string, WorkerStack>();

  function openOnce(turnQueueUrl: string): WorkerStack {
    const known = opened.get(turnQueueUrl);
    if (known) return known;
    const { engine, meter, flushMeter } = open(turnQueueUrl);
    const used = sumTakes(meter);
    const prices = stackPrices(settings);
    const stack = {
      engine: withFaultyCommits(engine, faults, CHANCE),
      meter,
      flushMeter,
      cost: () => costOf(used(), prices).total,
    };
    opened.set(turnQueueUrl, stack);
    return stack;
  }

  return createWorkerHandler({
    settings,
    clock,
    log,
    open: openOnce,
    fetchers: { ...fetchers, of: (crawl) => withPoisonPage(fetchers.of(crawl), faults, CHANCE) },
    write: writeLine,
  });
});

export const handler = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
  worker()(event, context);
