/** The function that wakes hosts that are due, once a minute. */
import type { Context } from 'aws-lambda';
import { createCrawls } from '../shared/crawl-state/crawls.ts';
import { noteSpend } from '../shared/engines/aws/state/daily-spend.ts';
import { lazy } from '../shared/lazy.ts';
import { functionStack } from './stack.ts';
import { createWakerHandler } from './waker-handler.ts';

const waker = lazy(() => {
  const { settings, clock, log, open } = functionStack();
  const stack = open();
  const { limits = {}, crawlState: table } = settings;
  const spend = { dynamo: stack.clients.dynamo, clock, table };
  return createWakerHandler({
    clock,
    log,
    stack,
    crawls: createCrawls(stack.engine.registry, clock),
    ...(limits.maxCostPerDay !== undefined && {
      dailyLimit: { maxCost: limits.maxCostPerDay, note: (costs) => noteSpend(spend, costs) },
    }),
  });
});

export const handler = (event: unknown, context: Context): Promise<void> => waker()(event, context);
