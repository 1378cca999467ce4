/** The description of the API of one machine: that of a stack, its own routes, and Firecrawl's. */
import { openApiDocument } from '../../../shared/services/http-api/openapi.ts';
import { ROUTES } from '../../../shared/services/http-api/route-table.ts';
import { BATCH_FIELDS, CRAWL_FIELDS } from './firecrawl/crawl-request.ts';
import { MAP_FIELDS } from './firecrawl/map-request.ts';
import { SCRAPE_FIELDS } from './firecrawl/scrape-options.ts';

type Json = Readonly<Record<string, unknown>>;

interface OwnRoute {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  readonly summary: string;
  /** The fields of the body. */
  readonly fields?: readonly string[];
  /** The field that the body must have. */
  readonly required?: string;
  readonly type?: string;
  /** Errors as Firecrawl's clients read them. */
  readonly isFirecrawl?: boolean;
}

const FIRECRAWL: readonly OwnRoute[] = [
  {
    method: 'post',
    path: 'scrape',
    summary: 'Read a page.',
    fields: ['url', ...SCRAPE_FIELDS],
    required: 'url',
  },
  { method: 'post', path: 'map', summary: 'List the URLs of a site.', fields: MAP_FIELDS, required: 'url' },
  ...[
    { path: 'crawl', fields: CRAWL_FIELDS, required: 'url', summary: 'Begin a crawl.' },
    {
      path: 'batch/scrape',
      fields: BATCH_FIELDS,
      required: 'urls',
      summary: 'Begin a crawl of exactly these URLs.',
    },
  ].flatMap(({ path, fields, required, summary }): OwnRoute[] => [
    { method: 'post', path, summary, fields, required },
    { method: 'get', path: `${path}/{id}`, summary: 'Documents so far; a WebSocket gets them as they come.' },
    { method: 'delete', path: `${path}/{id}`, summary: 'Stop it.' },
    { method: 'get', path: `${path}/{id}/errors`, summary: 'Pages that could not be read.' },
  ]),
];

const OWN: readonly OwnRoute[] = [
  {
    method: 'get',
    path: '/crawls/{crawl}/events',
    summary: 'Events of a crawl that runs, as they happen (Server-Sent Events), until it ends.',
    type: 'text/event-stream',
  },
  {
    method: 'get',
    path: '/crawls/{crawl}/series',
    summary: 'Figures of a crawl: one sample each 5 s of the last hour.',
  },
  ...['/v2/', '/v1/'].flatMap((version) =>
    FIRECRAWL.map((route) => ({ ...route, path: version + route.path, isFirecrawl: true })),
  ),
];

/** `hasToken`: each request must have one. */
export function describeOwn(hasToken: boolean): Json {
  const document = openApiDocument(ROUTES);
  const paths: Record<string, Record<string, Json>> = { ...(document.paths as Json as object) };
  for (const route of OWN) paths[route.path] = { ...paths[route.path], [route.method]: operation(route) };
  if (!hasToken) return { ...document, security: [], paths };
  const securitySchemes = { token: { type: 'http', scheme: 'bearer' } };
  const components = { ...(document.components as Json), securitySchemes };
  return { ...document, security: [{ token: [] }], paths, components };
}

const FIRECRAWL_ERROR = {
  type: 'object',
  properties: { success: { const: false }, error: { type: 'string' }, field: { type: 'string' } },
  required: ['success', 'error'],
};

function operation(route: OwnRoute): Json {
  const { method, path, summary, fields, required, type = 'application/json', isFirecrawl } = route;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries((fields ?? []).map((name) => [name, {}])),
    ...(required && { required: [required] }),
    additionalProperties: false,
  };
  return {
    operationId: method + path.replaceAll(/\W+(\w?)/g, (_, letter: string) => letter.toUpperCase()),
    summary,
    ...(names.length > 0 && {
      parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    }),
    ...(fields && { requestBody: { required: true, content: { 'application/json': { schema } } } }),
    responses: {
      200: { description: 'Done.', content: { [type]: {} } },
      default: {
        description: 'It was not done. `error` says why.',
        content: {
          'application/json': {
            schema: isFirecrawl ? FIRECRAWL_ERROR : { $ref: '#/components/schemas/Error' },
          },
        },
      },
    },
  };
}
