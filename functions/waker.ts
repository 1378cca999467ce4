/** The function that wakes hosts that are due, once a minute. */
import type { Context } from 'aws-lambda';
import { createCrawls } from '../shared/crawl-state/crawls.ts';
import { noteSpend } from '../shared/engines/aws/state/daily-spend.ts';
import { lazy } from '../shared/lazy.ts';
import { functionStack } from './stack.ts';
import { countDead, StackWatch } from './stack-watch.ts';
import { createWakerHandler } from './waker-handler.ts';

const waker = lazy(() => {
  const { settings, clock, log, open, attentionOf } = functionStack();
  const stack = open();
  const attention = attentionOf(stack);
  const { turnDeadLetterUrl, linkDeadLetterUrl, maxCostPerHour } = settings;
  const urls = { DeadTurns: turnDeadLetterUrl, DeadLinks: linkDeadLetterUrl };
  const { limits = {}, crawlState: table } = settings;
  const spend = { dynamo: stack.clients.dynamo, clock, table };
  return createWakerHandler({
    clock,
    log,
    stack,
    crawls: createCrawls(stack.engine.registry, clock),
    watch: new StackWatch({
      now: () => clock.now(),
      attention,
      notes: attention.notes,
      totals: stack.engine.registry.totals,
      deadLetters: countDead(stack.clients.sqs, urls, clock),
      maxCostPerHour,
    }),
    ...(limits.maxCostPerDay !== undefined && {
      dailyLimit: { maxCost: limits.maxCostPerDay, note: (costs) => noteSpend(spend, costs) },
    }),
  });
});

export const handler = (event: unknown, context: Context): Promise<void> => waker()(event, context);
