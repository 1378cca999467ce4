import type { z } from 'zod';
import type { ApiControl } from '../control/control.ts';
import type { ApiSchemaName } from './api-schemas.ts';

/** A request whose parts are what the route's schemas say. */
export interface RouteInput<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  /** As it was sent: no defaults filled in. */
  readonly body: Body;
  /** Who sends the request, if that is known. */
  readonly caller?: string | undefined;
}

export interface Route {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With `{name}` for each key of `params`. */
  readonly path: string;
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** The body's schema; none where no body is read. */
  readonly body?: z.ZodObject;
  /** Names of `body` and of the response in the description. */
  readonly bodyName?: ApiSchemaName;
  readonly answerName: ApiSchemaName;
  readonly isBodyOptional?: boolean;
  /** Status code of a successful response. */
  readonly status: number;
  run(control: ApiControl, input: RouteInput): Promise<unknown>;
}
