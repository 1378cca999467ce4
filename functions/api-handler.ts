import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import type { Control } from '../shared/services/control/control.ts';
import { handleRequest } from '../shared/services/http-api/routes.ts';
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
> & {
  readonly requestContext?: { readonly requestId?: string; readonly identity?: Identity };
};

/** A caller as API Gateway knows it. */
type Identity = Partial<
  Pick<APIGatewayProxyEvent['requestContext']['identity'], 'userArn' | 'apiKeyId' | 'sourceIp' | 'userAgent'>
>;

const HEADERS = {
  'content-type': 'application/json',
  // Answers are about this moment, and none is a page.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** Answers each request. The log has a line for each, with its caller, and what failed on our side. */
export function createApiHandler({ clock, log, stack, control }: ApiDeps) {
  return (
    event: ApiEvent,
    context?: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<APIGatewayProxyResult> =>
    invoked(stack, { clock, log, context }, async () => {
      const { httpMethod: method, path } = event;
      const { requestId, identity = {} } = event.requestContext ?? {};
      const caller = callerOf(identity);
      const query = event.queryStringParameters ?? {};
      const request = { method, path, query, body: bodyOf(event), caller };
      const startedAt = clock.now();
      const { status, body, headers } = await handleRequest(control, request, (error) =>
        log('error', { method, path, ...errorFields(error) }),
      );
      const { sourceIp, userAgent } = identity;
      const access = { method, path, status, caller, sourceIp, userAgent, requestId };
      log('info', { message: 'API request', ...access, tookMs: clock.now() - startedAt });
      return { statusCode: status, headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) };
    });
}

/** The user or role of IAM, or the id of the key. */
const callerOf = ({ userArn, apiKeyId }: Identity): string | undefined =>
  userArn ?? (apiKeyId ? `API key ${apiKeyId}` : undefined);

function bodyOf({ body, isBase64Encoded }: ApiEvent): string | undefined {
  if (body === null) return undefined;
  return isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body;
}
