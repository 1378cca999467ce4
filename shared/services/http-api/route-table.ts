/** The API over HTTP as one table: requests are answered from it, and its description is made of it. */
import { z } from 'zod';
import { CRAWL_STATUSES } from '../../crawler/ports/crawl-registry.ts';
import { CAPTURE_MATCHES } from '../control/captures.ts';
import type { ApiControl } from '../control/control.ts';
import {
  crawlIdSchema,
  newCrawlSchema,
  newExportSchema,
  newSeedsSchema,
  newSitesSchema,
} from '../control/request-schemas.ts';
import { resumeSchema } from '../control/resume-limits.ts';
import { SITE_STATES } from '../report/site-entries.ts';
import { API_SCHEMAS } from './api-schemas.ts';
import { openApiDocument } from './openapi.ts';
import type { Route, RouteInput } from './route.ts';

type Shape = z.ZodRawShape;
type RouteOf<P extends Shape, Q extends Shape, B extends z.ZodObject> = Omit<
  Route,
  'params' | 'query' | 'body' | 'status' | 'run'
> & {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly status?: number;
  run(
    control: ApiControl,
    input: RouteInput<z.output<z.ZodObject<P>>, z.output<z.ZodObject<Q>>, z.input<B>>,
  ): Promise<unknown>;
};

/** Ties what `run` is given to the route's own schemas. */
function route<P extends Shape, Q extends Shape, B extends z.ZodObject>(given: RouteOf<P, Q, B>): Route {
  return {
    status: 200,
    ...given,
    params: z.strictObject(given.params ?? {}),
    query: z.strictObject(given.query ?? {}),
    run: given.run as Route['run'],
  };
}

const crawl = { crawl: crawlIdSchema };
const cursor = z.string().min(1).max(4096).optional().describe('Of the page before');
const limitOf = (things: string) =>
  z.coerce.number().int().min(1).max(1000).optional().describe(`${things} on the page; 100 by default`);
const time = z.string().min(4).max(40).optional();

export const ROUTES: readonly Route[] = [
  route({
    operationId: 'createCrawl',
    method: 'POST',
    path: '/crawls',
    summary:
      'Begin a crawl. Without a name it is called after the host of its first seed. Seeds that it leaves out are `refused`, and the others begin it.',
    body: newCrawlSchema,
    bodyName: 'NewCrawl',
    answerName: 'BegunCrawl',
    status: 201,
    run: (control, { body, caller }) => control.create(body, caller),
  }),
  route({
    operationId: 'listCrawls',
    method: 'GET',
    path: '/crawls',
    summary: 'The crawls, by name, up to 1,000 a page; a page may be short, and only the last has no cursor.',
    query: {
      prefix: z.string().max(64).optional().describe('Only crawls whose names begin with this text'),
      state: z.enum(CRAWL_STATUSES).optional().describe('Only crawls in this state'),
      cursor,
    },
    answerName: 'CrawlList',
    run: (control, { query }) => control.list(query),
  }),
  route({
    operationId: 'getCrawl',
    method: 'GET',
    path: '/crawls/{crawl}',
    summary: 'What a crawl has come to, and what it has cost.',
    params: crawl,
    answerName: 'CrawlSummary',
    run: (control, { params }) => control.status(params.crawl),
  }),
  route({
    operationId: 'addSeeds',
    method: 'POST',
    path: '/crawls/{crawl}/seeds',
    summary: 'Add seeds to a crawl. A crawl that had finished runs again.',
    params: crawl,
    body: newSeedsSchema,
    bodyName: 'NewSeeds',
    answerName: 'AddedSeeds',
    run: (control, { params, body }) => control.addSeeds(params.crawl, body.seeds),
  }),
  route({
    operationId: 'setSites',
    method: 'POST',
    path: '/crawls/{crawl}/sites',
    summary:
      'Replace the list of sites of a crawl. Pages of sites that are not in it any more are not fetched again.',
    params: crawl,
    body: newSitesSchema,
    bodyName: 'NewSites',
    answerName: 'SiteChanges',
    run: (control, { params, body }) => control.setSites(params.crawl, body.sites),
  }),
  route({
    operationId: 'listSites',
    method: 'GET',
    path: '/crawls/{crawl}/sites',
    summary: 'The sites of a crawl with their last visits, a page at a time; only the last has no cursor.',
    params: crawl,
    query: {
      group: z.string().max(64).optional().describe('Only sites of this group'),
      state: z.enum(SITE_STATES).optional().describe('Only sites in this state'),
      cursor,
      limit: limitOf('Sites'),
    },
    answerName: 'SitePage',
    run: (control, { params, query }) => control.sites(params.crawl, query),
  }),
  route({
    operationId: 'pauseCrawl',
    method: 'POST',
    path: '/crawls/{crawl}/pause',
    summary: 'Begin no more requests; all that waits stays due.',
    params: crawl,
    answerName: 'CrawlSummary',
    run: (control, { params }) => control.pause(params.crawl),
  }),
  route({
    operationId: 'resumeCrawl',
    method: 'POST',
    path: '/crawls/{crawl}/resume',
    summary: 'Go on where the crawl stands, with other limits where some are given.',
    params: crawl,
    body: resumeSchema,
    bodyName: 'ResumeLimits',
    isBodyOptional: true,
    answerName: 'CrawlSummary',
    run: (control, { params, body: { newUrlRules, ...limits } }) =>
      control.resume(params.crawl, limits, { newUrlRules }),
  }),
  route({
    operationId: 'stopCrawl',
    method: 'POST',
    path: '/crawls/{crawl}/stop',
    summary: 'End the crawl: hosts are given no more turns. It can still be resumed.',
    params: crawl,
    answerName: 'CrawlSummary',
    run: (control, { params }) => control.stop(params.crawl),
  }),
  route({
    operationId: 'deleteCrawl',
    method: 'DELETE',
    path: '/crawls/{crawl}',
    summary:
      'Delete a crawl. The stack deletes its data within some hours; a repeated request reports the progress.',
    params: crawl,
    query: {
      archive: z
        .enum(['true', 'false'])
        .optional()
        .describe('Whether the archive and the items are deleted, too'),
    },
    answerName: 'CrawlDeletion',
    status: 202,
    run: (control, { params, query }) => control.delete(params.crawl, { archive: query.archive === 'true' }),
  }),
  route({
    operationId: 'listHosts',
    method: 'GET',
    path: '/crawls/{crawl}/hosts',
    summary:
      'Hosts of a crawl with their state, a page at a time; a page may be short, and only the last has no cursor.',
    params: crawl,
    query: { cursor, limit: limitOf('Hosts') },
    answerName: 'HostPage',
    run: (control, { params, query }) => control.hosts(params.crawl, query),
  }),
  route({
    operationId: 'getHost',
    method: 'GET',
    path: '/crawls/{crawl}/hosts/{host}',
    summary: 'All that is known of a host: its name, with its port where that is not the default.',
    params: { ...crawl, host: z.string().min(1).max(300).describe('Such as `example.org`') },
    answerName: 'HostDetail',
    run: (control, { params }) => control.host(params.crawl, params.host),
  }),
  route({
    operationId: 'listDomains',
    method: 'GET',
    path: '/crawls/{crawl}/domains',
    summary:
      'Registrable domains of a crawl that limits them, with their budgets; a page may be short, and only the last has no cursor.',
    params: crawl,
    query: { cursor, limit: limitOf('Hosts and domains that are looked at') },
    answerName: 'DomainPage',
    run: (control, { params, query }) => control.domains(params.crawl, query),
  }),
  route({
    operationId: 'getUrl',
    method: 'GET',
    path: '/crawls/{crawl}/url',
    summary: 'All that is known of a URL.',
    params: crawl,
    query: { url: z.string().min(1).describe('In any spelling') },
    answerName: 'UrlDetail',
    run: (control, { params, query }) => control.url(params.crawl, query.url),
  }),
  route({
    operationId: 'listCaptures',
    method: 'GET',
    path: '/crawls/{crawl}/captures',
    summary:
      'Captures of a URL, a prefix or a host in the archive, a page at a time; a page may be short, and only the last has no cursor.',
    params: crawl,
    query: {
      url: z.string().min(1).max(16_384).describe('In any spelling'),
      matchType: z
        .enum(CAPTURE_MATCHES)
        .optional()
        .describe('`exact` by default. Scheme, `www.` and letter case do not count'),
      from: time.describe('`YYYYMMDDhhmmss`, the beginning of that, or ISO 8601'),
      to: time.describe('As `from`; the whole of it counts'),
      cursor,
      limit: limitOf('Captures'),
    },
    answerName: 'CapturePage',
    run: (control, { params, query }) => control.captures(params.crawl, query),
  }),
  route({
    operationId: 'createExport',
    method: 'POST',
    path: '/crawls/{crawl}/exports',
    summary:
      'Begin an export, which is made meanwhile: a stack writes it to its bucket, one machine to the folder of the crawl. It may take hours.',
    params: crawl,
    body: newExportSchema,
    bodyName: 'NewExport',
    answerName: 'CrawlExport',
    status: 202,
    run: (control, { params, body }) => control.beginExport(params.crawl, body),
  }),
  route({
    operationId: 'listExports',
    method: 'GET',
    path: '/crawls/{crawl}/exports',
    summary: 'The exports of a crawl that are made or were made this way.',
    params: crawl,
    answerName: 'ExportList',
    run: async (control, { params }) => ({ exports: await control.exports(params.crawl) }),
  }),
  route({
    operationId: 'getExport',
    method: 'GET',
    path: '/crawls/{crawl}/exports/{export}',
    summary: 'How far an export is, and where its files are.',
    params: { ...crawl, export: z.string().min(1).max(100).describe('Its id') },
    answerName: 'CrawlExport',
    run: (control, { params }) => control.exportOf(params.crawl, params.export),
  }),
  route({
    operationId: 'getApiDescription',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description.',
    answerName: 'ApiDescription',
    run: async () => openApiDocument(ROUTES),
  }),
];

/** The schema of a route's good answer. */
export const answerSchema = ({ answerName }: Route): z.ZodType => API_SCHEMAS[answerName];
