/** The API's description by OpenAPI 3.1, made of the routes and their schemas. */
import { z } from 'zod';
import { describeSettings } from '../../core/crawl/settings/schema-descriptions.ts';
import { API_SCHEMAS } from './api-schemas.ts';
import type { Route } from './route.ts';

type Json = Readonly<Record<string, unknown>>;

/** Grows whenever something that callers may rely on changes. */
const API_VERSION = '1.0.0';

/** Why a request was not done, by HTTP status code. */
const ERRORS = {
  400: 'The request is not valid: the error names the field.',
  404: 'There is no such thing.',
  405: 'Another method is expected.',
  409: 'It cannot be done in the state that the crawl is in.',
  413: 'The body is larger than 4 MB.',
  500: 'Something failed on our side.',
} as const;

export function openApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    operations[route.method.toLowerCase()] = operation(route);
    paths[route.path] = operations;
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Strand',
      version: API_VERSION,
      description: 'Begins, feeds, watches, pauses, resumes, stops and deletes crawls.',
    },
    paths,
    components: { schemas: componentSchemas(), responses: errorResponses() },
  };
}

function operation(route: Route): Json {
  const { operationId, summary, params, query, bodyName, isBodyOptional, answerName, status } = route;
  const parameters = [...parametersOf(params, 'path'), ...parametersOf(query, 'query')];
  return {
    operationId,
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(bodyName && { requestBody: { required: !isBodyOptional, content: jsonOf(bodyName) } }),
    responses: {
      [status]: { description: 'Done.', content: jsonOf(answerName) },
      ...Object.fromEntries(
        errorsOf(route).map((code) => [code, { $ref: `#/components/responses/${code}` }]),
      ),
    },
  };
}

function errorsOf({ params, query, body, method }: Route): (keyof typeof ERRORS)[] {
  const hasParams = Object.keys(params.shape).length > 0;
  const isChange = method !== 'GET';
  const hasInput = hasParams || body !== undefined || Object.keys(query.shape).length > 0;
  return [
    ...(hasInput ? [400 as const] : []),
    ...(hasParams ? [404 as const] : []),
    405,
    ...(isChange ? [409 as const] : []),
    ...(body ? [413 as const] : []),
    500,
  ];
}

function parametersOf({ shape }: z.ZodObject, place: 'path' | 'query'): Json[] {
  return Object.entries(shape).map(([name, type]) => {
    const { $schema, description, ...schema } = z.toJSONSchema(type, { io: 'input' });
    const required = !z.safeParse(type, undefined).success;
    return { name, in: place, required, ...(description !== undefined && { description }), schema };
  });
}

/**
 * Returns the schemas of requests: keys with a default may be left out. For answers that makes no difference.
 */
function componentSchemas(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(API_SCHEMAS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => listTuple(jsonSchema),
  });
  for (const id of ['CrawlConfig', 'ResumeLimits']) describeSettings(schemas[id]);
  return Object.fromEntries(
    // Within a document the key says both.
    Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]),
  );
}

/** Describes a tuple as a list of that length: generators of clients refuse `items: false`, and schemas of single items. */
function listTuple(schema: z.core.JSONSchema.BaseSchema): void {
  const { prefixItems } = schema;
  if (prefixItems === undefined) return;
  const types = new Set(prefixItems.map((item) => (item as Json).type));
  schema.items = types.size === 1 ? ({ type: [...types][0] } as z.core.JSONSchema.BaseSchema) : {};
  delete schema.prefixItems;
}

function errorResponses(): Json {
  return Object.fromEntries(
    Object.entries(ERRORS).map(([code, description]) => [code, { description, content: jsonOf('Error') }]),
  );
}

const jsonOf = (schema: keyof typeof API_SCHEMAS): Json => ({
  'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
});
