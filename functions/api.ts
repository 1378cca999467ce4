/** The function behind the REST API. Who may call it, API Gateway has decided. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { lazy } from '../shared/core/base/lazy.ts';
import { controlEngineOf } from '../shared/engines/aws/control-engine.ts';
import { controlPolicyOf } from '../shared/engines/aws/control-policy.ts';
import { createOwnEvents } from '../shared/engines/aws/own-events.ts';
import { createControl } from '../shared/services/control/create-control.ts';
import { EXPORT_MORE } from '../shared/services/webhook/event-types.ts';
import { createApiHandler } from './api-handler.ts';
import { type FunctionStack, functionStack } from './stack.ts';

const api = lazy(() => openApi(functionStack()));

/** Creates the handler of the function. */
export function openApi(functions: FunctionStack) {
  const { settings, clock, log, open } = functions;
  const stack = open();
  const putEvent = createOwnEvents(clock);
  const wakeExporter = () => putEvent(EXPORT_MORE, { stack: settings.stack });
  const engine = controlEngineOf(stack, settings, { wakeExporter });
  const control = createControl(engine, controlPolicyOf(settings));
  return createApiHandler({ clock, log, stack, control });
}

export const handler = (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> =>
  api()(event, context);
