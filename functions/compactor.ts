/** The function that joins WARC files, once an hour, and on and on while there are more. */
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Context } from 'aws-lambda';
import { compactCrawl } from '../shared/engines/aws/archive/compactor.ts';
import { createCrawlDeletions } from '../shared/engines/aws/deletion/crawl-deletions.ts';
import { withRetry } from '../shared/engines/aws/retry.ts';
import { lazy } from '../shared/lazy.ts';
import { COMPACT_MORE, EVENT_SOURCE } from '../shared/webhook/event-types.ts';
import { type CompactorEvent, createCompactorHandler } from './compactor-handler.ts';
import { functionStack } from './stack.ts';

const eventBus = lazy(() => new EventBridgeClient({}));

/** A rule of the stack has the function run again by this event. */
async function putEvent(detail: object): Promise<void> {
  const { clock } = functionStack();
  const Entries = [{ Source: EVENT_SOURCE, DetailType: COMPACT_MORE, Detail: JSON.stringify(detail) }];
  const put = () => eventBus().send(new PutEventsCommand({ Entries }));
  const { FailedEntryCount = 0 } = await withRetry('continuing the compactor', put, { clock });
  // The next run is that of the schedule.
  if (FailedEntryCount > 0)
    functionStack().log('warn', { message: 'The compactor is not continued before its next hour' });
}

const compactor = lazy(() => {
  const { settings, clock, log, open, announce } = functionStack();
  const stack = open();
  const { s3, dynamo } = stack.clients;
  return createCompactorHandler({
    clock,
    log,
    stack,
    deletions: createCrawlDeletions({ s3, dynamo, ...stack.engine, names: settings }),
    compact: (options) => compactCrawl({ s3, dynamo, clock, names: settings, ...options }),
    continueAs: (round) => putEvent({ stack: settings.stack, round }),
    announceBehind: (rounds) => announce('ArchiveBehind', { rounds }),
  });
});

export const handler = (event: CompactorEvent, context: Context): Promise<void> =>
  compactor()(event, context);
