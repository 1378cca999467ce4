/**
 * The function that reads the link queue: links between hosts, seeds, and other messages to all hosts of a
 * crawl.
 */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { lazy } from '../shared/core/base/lazy.ts';
import { createCrawls } from '../shared/crawler/crawl-state/crawls.ts';
import { controlEngineOf } from '../shared/engines/aws/control-engine.ts';
import { controlPolicyOf } from '../shared/engines/aws/control-policy.ts';
import { parker } from '../shared/engines/aws/queues/sqs-queue.ts';
import { createControl } from '../shared/services/control/create-control.ts';
import { createDeadLetter } from './dead-letter.ts';
import { createRouterHandler } from './router-handler.ts';
import { type FunctionStack, functionStack } from './stack.ts';

const router = lazy(() => openRouter(functionStack()));

/** Creates the handler of the function. */
export function openRouter(functions: FunctionStack) {
  const { settings, clock, log, reportNewer, open } = functions;
  const stack = open();
  return createRouterHandler({
    settings,
    clock,
    log,
    stack,
    control: createControl(controlEngineOf(stack, settings), controlPolicyOf(settings)),
    crawls: createCrawls(stack.engine.registry, clock),
    deadLetter: createDeadLetter({ client: stack.clients.sqs, queueUrl: settings.linkDeadLetterUrl, clock }),
    park: parker({ client: stack.clients.sqs, clock }),
    reportNewer,
  });
}

export const handler = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
  router()(event, context);
