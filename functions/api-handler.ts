import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Control } from '../shared/control/control.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import { handleRequest } from '../shared/http-api/routes.ts';
import type { Clock } from '../shared/ports/clock.ts';
import { errorFields, type Log } from './log.ts';
import { invoked } from './stack.ts';

export interface ApiDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly stack: Pick<OpenedStack, 'meter' | 'flushMeter'>;
  readonly control: Control;
}

/** The part of an API Gateway REST event that is used. */
export type ApiEvent = Pick<
  APIGatewayProxyEvent,
  'httpMethod' | 'path' | 'queryStringParameters' | 'body' | 'isBase64Encoded'
>;

const HEADERS = {
  'content-type': 'application/json',
  // Answers are about this moment, and none is a page.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** Answers each request; what failed on our side is in the log. */
export function createApiHandler({ clock, log, stack, control }: ApiDeps) {
  return (event: ApiEvent): Promise<APIGatewayProxyResult> =>
    invoked(stack, { clock, log }, async () => {
      const { httpMethod: method, path } = event;
      const request = { method, path, query: event.queryStringParameters ?? {}, body: bodyOf(event) };
      const { status, body } = await handleRequest(control, request, (error) =>
        log('error', { method, path, ...errorFields(error) }),
      );
      return { statusCode: status, headers: HEADERS, body: JSON.stringify(body) };
    });
}

function bodyOf({ body, isBase64Encoded }: ApiEvent): string | undefined {
  if (body === null) return undefined;
  return isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body;
}
