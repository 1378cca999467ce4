/** The function that joins WARC files, once an hour, and on and on while there are more. */
import type { Context } from 'aws-lambda';
import { lazy } from '../shared/core/base/lazy.ts';
import { compactCrawl } from '../shared/engines/aws/archive/compactor.ts';
import { createCrawlDeletions } from '../shared/engines/aws/deletion/crawl-deletions.ts';
import { createOwnEvents } from '../shared/engines/aws/own-events.ts';
import { COMPACT_MORE } from '../shared/services/webhook/event-types.ts';
import { type CompactorEvent, createCompactorHandler } from './compactor-handler.ts';
import { type FunctionStack, functionStack } from './stack.ts';

const compactor = lazy(() => openCompactor(functionStack()));

/** Creates the handler of the function. */
export function openCompactor(functions: FunctionStack) {
  const { settings, clock, log, open, announce } = functions;
  const stack = open();
  const putEvent = createOwnEvents(clock);
  const { s3, dynamo } = stack.clients;
  return createCompactorHandler({
    clock,
    log,
    stack,
    deletions: createCrawlDeletions({ s3, dynamo, ...stack.engine, names: settings }),
    compact: (options) =>
      compactCrawl({ s3, dynamo, clock, names: settings, tables: settings.indexTables ?? true, ...options }),
    continueAs: async (round) => {
      // Otherwise the next run is that of the schedule.
      if (!(await putEvent(COMPACT_MORE, { stack: settings.stack, round })))
        log('warn', { message: 'The compactor is not continued before its next hour' });
    },
    announceBehind: (rounds) => announce('ArchiveBehind', { rounds }),
  });
}

export const handler = (event: CompactorEvent, context: Context): Promise<void> =>
  compactor()(event, context);
