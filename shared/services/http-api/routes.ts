/**
 * HTTP requests to the API, answered from the table of routes. Knows of no server: an adapter brings the
 * parts.
 */

import { quoted } from '../../core/text/printable.ts';
import { checkRequest } from '../control/check-request.ts';
import { type ApiControl, ControlError } from '../control/control.ts';
import type { ERROR_CODES } from './api-schemas.ts';
import type { Route } from './route.ts';
import { ROUTES } from './route-table.ts';

export interface ApiRequest {
  readonly method: string;
  /** As sent, percent-encoded, without the query and without a deployment's own prefix. */
  readonly path: string;
  /** Decoded. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** As sent. */
  readonly body?: string;
  /** Who sends it, if that is known. */
  readonly caller?: string | undefined;
}

export interface ApiAnswer {
  readonly status: number;
  /** To be sent as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type ErrorCode = (typeof ERROR_CODES)[number];

const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid: 400,
  notFound: 404,
  methodNotAllowed: 405,
  conflict: 409,
  tooLarge: 413,
  internal: 500,
};

/** A list of 15,000 sites with their settings; Lambda takes events of 6 MB, in which each quote of the body takes two bytes. */
const MAX_BODY_BYTES = 4_000_000;

/**
 * Never rejects: a refusal is a response. Errors on our side are not shown to callers; they go to `onError`.
 */
export async function handleRequest(
  control: ApiControl,
  request: ApiRequest,
  onError?: (error: unknown) => void,
): Promise<ApiAnswer> {
  try {
    const found = findRoute(request);
    if ('status' in found) return found;
    const { route, segments } = found;
    if (route.body && Buffer.byteLength(request.body ?? '') > MAX_BODY_BYTES)
      return failure('tooLarge', `Expected a body of at most ${MAX_BODY_BYTES} bytes`);
    const body = await route.run(control, {
      params: checkRequest(route.params, segments, 'the path'),
      query: checkRequest(route.query, request.query ?? {}, 'the query'),
      body: readBody(route, request.body),
      caller: request.caller,
    });
    return { status: route.status, body };
  } catch (error) {
    if (error instanceof ControlError) return failure(error.code, error.message, error.field);
    onError?.(error);
    return failure('internal', 'Something failed on our side. Try again');
  }
}

/** The route, with the segments of the path by their names, or the answer where there is none. */
function findRoute({ method, path }: ApiRequest): ApiAnswer | { route: Route; segments: object } {
  const parts = path.split('/').map(decode);
  const matching = ROUTES.flatMap((route) => {
    const segments = matchPath(route.path, parts);
    return segments ? [{ route, segments }] : [];
  });
  const found = matching.find(({ route }) => route.method === method);
  if (found) return found;
  if (matching.length === 0)
    return failure('notFound', `There is nothing at ${quoted(path)}; see /openapi.json for what there is`);
  const methods = matching.map(({ route }) => route.method).join(', ');
  const refusal = failure(
    'methodNotAllowed',
    `Expected one of the methods ${methods}, got ${quoted(method)}`,
  );
  // RFC 9110, section 15.5.6.
  return { ...refusal, headers: { allow: methods } };
}

function matchPath(
  template: string,
  parts: readonly (string | undefined)[],
): Record<string, string> | undefined {
  const expected = template.split('/');
  if (expected.length !== parts.length) return undefined;
  const segments: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const name = /^\{(\w+)\}$/.exec(expected[i] as string)?.[1];
    if (part === undefined || (name === undefined && part !== expected[i])) return undefined;
    if (name !== undefined) segments[name] = part;
  }
  return segments;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function readBody({ body: schema, isBodyOptional }: Route, text = ''): unknown {
  if (!schema) return undefined;
  if (text.trim() === '') {
    if (isBodyOptional) return {};
    throw new ControlError('invalid', 'Expected a body of JSON, got nothing');
  }
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (cause) {
    throw new ControlError('invalid', `Expected a body of JSON: ${(cause as Error).message}`);
  }
  checkRequest(schema, given, 'the body');
  // As it was given: parsing fills in defaults, which are the deployment's to say.
  return given;
}

function failure(code: ErrorCode, message: string, field?: string): ApiAnswer {
  return { status: STATUS[code], body: { error: { code, message, ...(field !== undefined && { field }) } } };
}
