/** Requests and answers of the API, by the names under which its description lists them. */

import { z } from 'zod';
import { CAUSE_CODES } from '../../core/causes/cause-text.ts';
import { STATUS_CODES } from '../../core/causes/status-reason.ts';
import { crawlConfigSchema } from '../../core/crawl/config.ts';
import { URL_CHANGES } from '../../core/frontier/url-change.ts';
import { URL_STATES } from '../../core/frontier/url-record.ts';
import { FAILURE_CODES } from '../../core/outcome/failure-codes.ts';
import { URL_KINDS } from '../../core/url/url-kind.ts';
import { CAPTURE_KINDS, type CaptureEntry, type CapturePage } from '../control/captures.ts';
import type {
  AddedSeeds,
  BegunCrawl,
  CrawlEntry,
  CrawlPage,
  DomainPage,
  HostDetail,
  HostEntry,
  HostPage,
  SitePage,
} from '../control/control.ts';
import { CLOUD_FORMATS, CLOUD_TABLES, type CrawlExport, EXPORT_STATES } from '../control/crawl-export.ts';
import type { CrawlDeletion } from '../control/deletion.ts';
import {
  crawlIdSchema,
  newCrawlSchema,
  newExportSchema,
  newSeedsSchema,
  newSitesSchema,
} from '../control/request-schemas.ts';
import { resumeSchema } from '../control/resume-limits.ts';
import type { DomainEntry } from '../report/domain-entry.ts';
import { SITE_STATES, type SiteEntry } from '../report/site-entries.ts';
import type { CrawlSummary } from '../report/summary.ts';
import type { UrlDetail } from '../report/url-detail.ts';

const count = z.int().min(0);
const amount = z.number().min(0);
const counts = z.record(z.string(), count);
const time = z.string().meta({ format: 'date-time' });

const byStatus = z.strictObject(
  Object.fromEntries(URL_STATES.map((state) => [state, count])) as Record<
    (typeof URL_STATES)[number],
    typeof count
  >,
);

const STATES = ['finished', 'limited', 'interrupted', 'running', 'stopped', 'paused'] as const;

const HOOK_SOURCES = [
  'onPage',
  'extraction',
  'item',
  'middleware',
  'login',
  'module',
  'onError',
  'onChallenge',
  'behave',
  'file',
] as const;

const causeCode = z.enum([...CAUSE_CODES, ...FAILURE_CODES]).optional();
const refused = z
  .strictObject({
    since: time,
    urls: count.describe('That wait there'),
    vendor: z.string().optional().describe('Whose protection challenges'),
    price: z.string().optional(),
    asks: z.literal(true).optional().describe('It waits until you resume the crawl with cookies for it'),
  })
  .optional()
  .describe('If the host refuses the crawler');
const givenUpHost = { host: z.string(), cause: z.string(), causeCode, refused };

const crawlSummarySchema = z.strictObject({
  pages: count,
  urls: count.describe('URLs known, whatever their outcome'),
  hosts: count,
  bytes: count.describe('Of all bodies as received'),
  seconds: amount.describe('That the crawl has run'),
  byStatus,
  skipped: counts.describe('URLs left out, by reason'),
  errors: counts.describe('Failed fetches, by cause'),
  warcFiles: z.array(z.string()).describe('At most 1,000 of them'),
  state: z.enum(STATES),
  crawl: crawlIdSchema,
  rate: amount.describe('Pages a second, over the time that the crawl has run'),
  cost: amount.describe('US dollars at list price so far'),
  costByItem: z.record(z.string(), amount).describe('What that is made of, in US dollars'),
  costIsEstimated: z.boolean().optional().describe("Whether prices of the stack's region are estimated"),
  reason: z.string().optional().describe('Why the crawl is in that state, in words'),
  setAside: z
    .array(z.strictObject(givenUpHost))
    .describe('Hosts given up: at most 100, and looked for only in crawls of up to 2,000 hosts'),
  httpStatus: counts.describe('Responses by HTTP status code'),
  failing: z
    .array(z.strictObject({ ...givenUpHost, nextTryAt: time }))
    .describe('Hosts whose last tries failed, and which are tried again; as many as of `setAside`'),
  seeds: counts.describe('Seeds that are done with, and what they redirected to, by their outcome'),
  failedSeeds: z
    .array(z.strictObject({ url: z.string(), cause: z.string() }))
    .describe('Why no seed could be fetched: at most 10 seeds; empty where one was'),
  hints: counts.describe('Pages by what keeps a crawler from their content'),
  hooks: counts.describe("What a project's hooks did: pages that they were called for, failures, items"),
  hookErrors: z
    .array(
      z.strictObject({
        source: z.enum(HOOK_SOURCES),
        url: z.string(),
        message: z.string(),
        stack: z.string().optional(),
      }),
    )
    .describe('The first different errors of hooks: none on a stack, whose log has them'),
  requisites: counts.describe('Requisites of pages: those fetched, and those that wait'),
  cache: counts.describe('Empty: only a crawl on one machine has a cache'),
  recrawl: counts.describe(
    'Fetches of known pages by what they have shown; empty for a crawl that does not recrawl',
  ),
  firstPassAt: time
    .optional()
    .describe('In a crawl that recrawls: when each known URL had been fetched once'),
  overBudget: counts.describe(
    'URLs that wait because the budget of their registrable domain is used up, and their hosts; empty where none do',
  ),
  full: counts.describe(
    'URLs that wait because their hosts have had `maxPagesPerHost` pages, and those hosts; empty where none do',
  ),
  reasonCode: z.enum(STATUS_CODES).optional().describe('`reason` for programs'),
  begunBy: z
    .string()
    .optional()
    .describe('Who began it: an ARN of IAM, an API key, the sender of a message, an access key'),
  exact: z
    .boolean()
    .describe(
      'False: the figures lag by seconds while the crawl runs, and lack what a worker that died had not counted yet; the crawl counts its hosts again before it is called finished',
    ),
  losses: z
    .strictObject({
      hostsGivenUp: count.optional().describe('Hosts that were given up while URLs waited there'),
      urlsGivenUp: count.optional().describe('Number of these URLs'),
      quarantined: count.optional().describe('Pages that ended or blocked their process'),
      undecoded: count.optional().describe('Responses of which nothing could be decoded'),
      brokeOff: count.optional().describe('Responses that broke off, or could not be decoded to their end'),
      cut: count.optional().describe('Pages cut at maxBodyBytes or maxDecodedBytes'),
      traps: count.optional().describe('Links left out as traps, each time one was met'),
    })
    .describe('The part of the crawl that was lost so far; empty if nothing was'),
  sites: counts.describe(
    'In a crawl with a list of sites: their `count`, those `visited` in the last 24 hours, and those of each state; empty without a list',
  ),
  refusals: counts.describe(
    'Hosts that refuse the crawler, those of each kind, URLs that wait there, and refused pages of other hosts',
  ),
  render: counts.describe('Pages rendered, and the requests that they made; empty where none was'),
  accounts: counts.describe('Requests and logins of the accounts of the project; empty where none was used'),
}) satisfies z.ZodType<CrawlSummary>;

const addedSeedsSchema = z.strictObject({
  crawl: crawlIdSchema,
  added: count,
  refused: z.array(z.strictObject({ url: z.string(), reason: z.string() })),
}) satisfies z.ZodType<AddedSeeds>;

const begunCrawlSchema = crawlSummarySchema
  .extend({ refused: addedSeedsSchema.shape.refused.describe('Seeds that were left out') })
  .describe('A crawl that has begun') satisfies z.ZodType<BegunCrawl>;

const crawlDeletionSchema = z.strictObject({
  crawl: crawlIdSchema,
  state: z.enum(['deleting', 'deleted']),
  archive: z.boolean().describe('Whether the archive and the items are deleted, too'),
  requestedAt: time,
  archiveKeptFor: z
    .array(crawlIdSchema)
    .optional()
    .describe('The archive was to be deleted, and stays: the archives of these crawls refer to it'),
  dataDeletedFrom: time
    .optional()
    .describe('While it is being deleted: its data is deleted in the first hourly run after this'),
  deletedAt: time.optional(),
  nameFreeAt: time.optional().describe('From then on another crawl may have the name'),
}) satisfies z.ZodType<CrawlDeletion>;

const crawlEntrySchema = z.strictObject({
  crawl: crawlIdSchema,
  state: z.enum(['running', 'paused', 'stopped', 'limited', 'finished']),
  reason: z.string().optional(),
  pages: count,
}) satisfies z.ZodType<CrawlEntry>;

const siteChangesSchema = z.strictObject({
  added: z.array(z.string()).describe('Hosts of sites that are new in the list'),
  changed: z.array(z.string()).describe('Sites whose settings or groups have changed'),
  removed: z.array(z.string()).describe('Sites that are not in it any more'),
});

const siteEntrySchema = z.strictObject({
  site: z.string().describe('Its URL, as the list has it'),
  host: z.string(),
  group: z.string().optional(),
  state: z.enum(SITE_STATES).describe('How the last visit went; `running`: it goes on'),
  pages: count.describe('Pages of the last visit'),
  pagesBefore: count.optional().describe('Pages of the visit before'),
  gone: count.optional(),
  blocked: count.optional(),
  failed: count.optional(),
  movedTo: z.string().optional(),
  cause: z.string().optional().describe('Why the first page that was not there was not'),
  visitedAt: time.optional().describe('When the last page was there'),
  endedAt: time.optional().describe('When the last visit was over'),
}) satisfies z.ZodType<SiteEntry>;

const sitePageSchema = z.strictObject({
  counts: counts.describe('Of all sites of the crawl, as in its summary'),
  sites: z.array(siteEntrySchema),
  cursor: z.string().optional().describe('For the next page; none on the last'),
}) satisfies z.ZodType<SitePage>;

const hostEntrySchema = z.strictObject({
  host: z.string(),
  known: count.describe('URLs known'),
  waiting: count.describe('URLs that wait to be fetched'),
  pages: count,
  bytes: count,
  nextFetchAt: time.optional().describe('When the next request to it may start'),
  dueAt: time.optional().describe('When it is due for a turn'),
  waitsFor: z.string().optional().describe('What it waits for until then, besides its own rest'),
  failures: count.describe('Failures in a row'),
  cause: z.string().optional().describe('Of the last failure'),
  setAside: z.string().optional().describe('Why the host was given up'),
  refused: z.string().optional().describe('How the host refuses the crawler, also while it rests'),
}) satisfies z.ZodType<HostEntry>;

const hostPageSchema = z.strictObject({
  hosts: z.array(hostEntrySchema),
  cursor: z.string().optional().describe('For the next page; none on the last'),
}) satisfies z.ZodType<HostPage>;

const domainEntrySchema = z.strictObject({
  domain: z.string(),
  budget: count.optional().describe('Requests for its pages in a period; none if it has no budget'),
  granted: count.optional().describe('Of these, what its hosts were granted in this period'),
  nextBudgetAt: time.optional(),
  hosts: count.describe('Its hosts that were opened'),
  maxHosts: count.optional(),
  linkers: count.optional().describe('Other domains that link to it, about; only where budgets grow by them'),
}) satisfies z.ZodType<DomainEntry>;

const domainPageSchema = z.strictObject({
  domains: z.array(domainEntrySchema),
  medianLinkers: count.describe('How many domains link to the median domain, by which budgets grow'),
  cursor: z.string().optional().describe('For the next page; none on the last'),
}) satisfies z.ZodType<DomainPage>;

const hostDetailSchema = z.strictObject({
  ...hostEntrySchema.shape,
  requests: count,
  byStatus,
  httpStatus: counts,
  errors: counts,
  skipped: counts,
  robots: z.array(z.strictObject({ origin: z.string(), kind: z.string(), expiresAt: time })),
}) satisfies z.ZodType<HostDetail>;

const urlDetailSchema = z.strictObject({
  url: z.string(),
  host: z.string(),
  depth: count.optional().describe('Hops from a seed'),
  via: z.string().optional().describe('The page it was found on'),
  status: z.enum(URL_STATES),
  httpStatus: count.optional(),
  contentType: z.string().optional(),
  digest: z.string().optional().describe('Payload digest: sha1 and Base32'),
  fetchedAt: time.optional(),
  warcFile: z.string().optional(),
  warcOffset: count.optional(),
  warcLength: count.optional(),
  kind: z.enum(URL_KINDS).optional().describe('What it is fetched as, other than a page'),
  bodyBytes: count.optional().describe('Of the body as received'),
  tookMs: count.optional().describe("From the request to the body's end"),
  cause: z.string().optional().describe('Why it was denied, skipped or has failed; where it redirects to'),
  causeCode: causeCode.describe('The cause for programs'),
  duplicateOf: z
    .string()
    .optional()
    .describe('For a copy: the page that it names as its canonical one, or whose text is nearly the same'),
  method: z.string().optional().describe('Of a request by `enqueue`, if it is not GET'),
  requestBody: z.string().optional().describe('Of a request by `enqueue`'),
  seenAt: time.optional(),
  attempts: count.optional(),
  dueAt: time.optional(),
  changedAt: time.optional().describe('In a crawl that recrawls: when its last change was seen'),
  lastChange: z.enum(URL_CHANGES).optional().describe('That change'),
  rendering: z.string().optional().describe('Whether and why pages of its template are rendered'),
  changedShare: z.number().optional().describe('About the share of its text that it was'),
  hostGivenUp: z.string().optional().describe('Of one that waits: why its host was given up'),
  hostFailing: z.string().optional().describe('Of one that waits: why the last try of its host failed'),
  hostNextTryAt: time.optional(),
  copies: z
    .array(z.strictObject({ url: z.string(), similarity: z.number() }))
    .optional()
    .describe('The first 100 pages that were marked as nearly the same (nearDuplicates)'),
  copyCount: count.optional().describe('The number of them'),
}) satisfies z.ZodType<UrlDetail>;

const captureEntrySchema = z.strictObject({
  url: z.string(),
  time,
  kind: z
    .enum(CAPTURE_KINDS)
    .describe('All but `response` are revisit records, which refer to a response with the same content'),
  httpStatus: count.optional().describe('304 if it is `notModified`'),
  contentType: z.string().optional().describe('Absent for a revisit record'),
  digest: z.string().optional().describe('Payload digest: sha1 and Base32'),
  warcFile: z.string(),
  warcOffset: count,
  warcLength: count,
}) satisfies z.ZodType<CaptureEntry>;

const capturePageSchema = z.strictObject({
  captures: z.array(captureEntrySchema).describe('Sorted by URL and time'),
  damaged: z.array(z.string()).describe('Damaged WARC files: their captures before the damage are found'),
  cursor: z.string().optional().describe('For the next page; none on the last'),
}) satisfies z.ZodType<CapturePage>;

const crawlExportSchema = z.strictObject({
  crawl: crawlIdSchema,
  id: z.string(),
  format: z.enum(CLOUD_FORMATS),
  tables: z.array(z.enum(CLOUD_TABLES)).optional(),
  state: z.enum(EXPORT_STATES).describe('`waiting`: not begun yet'),
  location: z
    .string()
    .describe('The folder of its files, in S3 or on the machine; they are whole when `export.json` is there'),
  requestedAt: time,
  endedAt: time.optional(),
  files: count,
  bytes: count.describe('Of the files so far'),
  records: count.describe('In the files so far'),
  skipped: count.describe(
    'Records that cannot be read; on a stack, the log of the function exporter has the reasons',
  ),
  share: z.number().min(0).max(1).describe('Of the work that is done'),
  message: z.string().optional().describe('Why it has failed'),
}) satisfies z.ZodType<CrawlExport>;

export const ERROR_CODES = [
  'invalid',
  'notFound',
  'methodNotAllowed',
  'conflict',
  'tooLarge',
  'internal',
] as const;

const errorSchema = z.strictObject({
  error: z.strictObject({
    code: z.enum(ERROR_CODES),
    message: z.string(),
    field: z.string().optional().describe('The part of the request at fault'),
  }),
});

/** All of them. Where one holds another, its description refers to it. */
export const API_SCHEMAS = {
  CrawlConfig: crawlConfigSchema(),
  NewCrawl: newCrawlSchema,
  NewSeeds: newSeedsSchema,
  NewSites: newSitesSchema,
  SiteChanges: siteChangesSchema,
  SitePage: sitePageSchema,
  SiteEntry: siteEntrySchema,
  ResumeLimits: resumeSchema,
  CrawlSummary: crawlSummarySchema,
  BegunCrawl: begunCrawlSchema,
  CrawlList: z.strictObject({
    crawls: z.array(crawlEntrySchema),
    cursor: z.string().optional().describe('For the next page; none on the last'),
  }) satisfies z.ZodType<CrawlPage>,
  CrawlEntry: crawlEntrySchema,
  AddedSeeds: addedSeedsSchema,
  CrawlDeletion: crawlDeletionSchema,
  HostPage: hostPageSchema,
  HostEntry: hostEntrySchema,
  HostDetail: hostDetailSchema,
  DomainPage: domainPageSchema,
  DomainEntry: domainEntrySchema,
  UrlDetail: urlDetailSchema,
  CapturePage: capturePageSchema,
  CaptureEntry: captureEntrySchema,
  NewExport: newExportSchema,
  CrawlExport: crawlExportSchema,
  ExportList: z.strictObject({ exports: z.array(crawlExportSchema) }),
  Error: errorSchema,
  ApiDescription: z.looseObject({ openapi: z.string() }),
} as const;

export type ApiSchemaName = keyof typeof API_SCHEMAS;
