/** The function that wakes hosts that are due, once a minute. */
import { tmpdir } from 'node:os';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { Context } from 'aws-lambda';
import { endedCrawl } from '../shared/control/summarize-crawl.ts';
import { createCrawls } from '../shared/crawl-state/crawls.ts';
import type { StackSettings } from '../shared/engines/aws/settings.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import { noteSpend } from '../shared/engines/aws/state/daily-spend.ts';
import { lazy } from '../shared/lazy.ts';
import { Announcer } from './announcer.ts';
import { allSinks, eventBus, webhookIn, webhookSink } from './event-sinks.ts';
import { type FunctionStack, functionStack } from './stack.ts';
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
    announcer: announcerOf(stack, settings, { clock, log }),
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

function announcerOf(
  { engine, meter }: OpenedStack,
  { stack, allowPrivateAddresses }: StackSettings,
  { clock, log }: Pick<FunctionStack, 'clock' | 'log'>,
): Announcer {
  const { registry, ledgers } = engine;
  const target = webhookIn(process.env.STRAND_WEBHOOK);
  const sinks = [eventBus({ client: new EventBridgeClient({}), clock, stack })];
  if (target) sinks.push(webhookSink({ target, clock, tempFolder: tmpdir(), allowPrivateAddresses }));
  return new Announcer({
    registry,
    clock,
    log,
    sink: allSinks(sinks),
    summarize: (crawl, record) => meter.run(crawl, () => endedCrawl({ registry, ledgers }, crawl, record)),
  });
}

export const handler = (event: unknown, context: Context): Promise<void> => waker()(event, context);
