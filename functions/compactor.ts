/** The function that joins WARC files, once an hour. */
import type { Context } from 'aws-lambda';
import { compactCrawl } from '../shared/engines/aws/archive/compactor.ts';
import { createCrawlDeletions } from '../shared/engines/aws/deletion/crawl-deletions.ts';
import { lazy } from '../shared/lazy.ts';
import { createCompactorHandler } from './compactor-handler.ts';
import { functionStack } from './stack.ts';

const compactor = lazy(() => {
  const { settings, clock, log, open } = functionStack();
  const stack = open();
  const { s3, dynamo } = stack.clients;
  return createCompactorHandler({
    clock,
    log,
    stack,
    deletions: createCrawlDeletions({ s3, dynamo, ...stack.engine, names: settings }),
    compact: (options) => compactCrawl({ s3, dynamo, clock, names: settings, ...options }),
  });
});

export const handler = (event: unknown, context: Context): Promise<void> => compactor()(event, context);
