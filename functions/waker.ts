/** The function that wakes hosts that are due, once a minute. */
import type { Context } from 'aws-lambda';
import { createCrawls } from '../shared/crawl-state/crawls.ts';
import { lazy } from '../shared/lazy.ts';
import { functionStack } from './stack.ts';
import { createWakerHandler } from './waker-handler.ts';

const waker = lazy(() => {
  const { clock, log, open } = functionStack();
  const stack = open();
  return createWakerHandler({ clock, log, stack, crawls: createCrawls(stack.engine.registry, clock) });
});

export const handler = (event: unknown, context: Context): Promise<void> => waker()(event, context);
