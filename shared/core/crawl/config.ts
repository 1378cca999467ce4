/**
 * The one list of what can be set about a crawl: name, type, default, unit, and where a default comes from.
 * Parsed once, immutable. Durations are milliseconds, sizes bytes.
 */

import { z } from 'zod';
import { primaryLanguage } from '../text/primary-language.ts';
import { isHost } from '../url/is-host.ts';
import { PURPOSES } from '../usage/purpose.ts';
import type { CrawlConfig, CrawlOptions, HostOverride, ScopePreset } from './crawl-options.ts';
import { DOMAIN } from './domains.ts';
import { daysFault, type HostConfig, hoursFault } from './host-hours.ts';
import { InvalidConfig } from './invalid-config.ts';
import { NEAR_DUPLICATES } from './near-duplicates.ts';
import { identityShape, tlsShape } from './network-schema.ts';
import { scheduleFault } from './schedule.ts';
import { isTimeZone } from './time-zone.ts';

export {
  type CrawlConfig,
  type CrawlOptions,
  type HostConfig,
  type HostOverride,
  InvalidConfig,
  type ScopePreset,
};

const isLanguage = (tag: string): boolean => primaryLanguage(tag) !== undefined;
const count = z.int().min(0);
const positive = z.int().min(1);
const ms = z.number().min(0);
/** At a lower rate, a page of usual size would keep its host resting for more than five minutes. */
const MIN_BYTES_PER_SECOND = 100;
const bytesPerSecond = z.int().min(MIN_BYTES_PER_SECOND).max(1e12);
const importance = z.number().min(0.001).max(1000);
const zoneName = z.string().max(100).refine(isTimeZone, { error: 'a time zone, such as Europe/Berlin' });

export const SCOPES = ['page', 'prefix', 'host', 'domain', 'any'] as const satisfies readonly ScopePreset[];

/** The domain's head names each of its opened hosts, in four bytes. */
const MAX_HOSTS_PER_DOMAIN = 10_000;
/** All of them are in the crawl's record, which is read every two seconds. */
export const MAX_DOMAIN_BUDGETS = 5000;
/** All of them are in the crawl's record, too. */
export const MAX_IP_BLOCKS = 2000;
const MAX_IP_DELAY_MS = 60_000;
/** A number of nine digits at most. */
const LINK_BUDGET = /^links:[1-9]\d{0,8}$/;
const MAX_BUDGET_PERIOD_MS = 30 * 86_400_000;

export const SITEMAPS = ['off', 'robots', 'find'] as const;

export const RECRAWLS = ['off', 'changes', 'freshness'] as const;

/** Whether the crawl fetches pages again, and so never finishes by itself. */
export const isRecrawling = ({
  recrawl,
  recrawlEveryMs,
  recrawlSchedule,
}: Pick<CrawlConfig, 'recrawl' | 'recrawlEveryMs' | 'recrawlSchedule'>): boolean =>
  recrawl !== 'off' || recrawlEveryMs !== undefined || recrawlSchedule !== undefined;

/**
 * The changed settings of a crawl that is resumed. There is one kind of recrawl: by price, after a fixed interval, or
 * at the times of a schedule. A kind that is given replaces the others.
 */
export function withRecrawl<T extends CrawlOptions>(changes: T): T {
  const { recrawl, recrawlEveryMs, recrawlSchedule } = changes;
  if ((recrawl ?? recrawlEveryMs ?? recrawlSchedule) === undefined) return changes;
  return { ...changes, recrawlEveryMs, recrawlSchedule };
}

/** A string that `faultOf` checks: it returns the fault. `expected`: for the message. */
function checked(expected: string, faultOf: (text: string) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const fault = faultOf(text);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: `${expected}: ${fault}` });
  });
}

const folderHost = z.string().refine(isHost, { error: 'a host in lower case, such as docs.example.org' });

/** The rules that make two spellings one URL though no standard says so (`url/url-rules.ts`). */
const urlRulesSchema = z.strictObject({
  /**
   * Drop parameters that only say where a visitor came from (`utm_source`, `gclid`): no page depends on them.
   */
  trackingParameters: z.boolean().default(true),
  /** Drop session ids (`;jsessionid=`, `PHPSESSID`): each visit would find every page under new URLs. */
  sessionParameters: z.boolean().default(true),
  /** Sort the query's parameters. Off: some sites answer by their order. */
  sortQuery: z.boolean().default(false),
  /** `/a/index.html` as `/a/`. Off: servers need not answer both alike. */
  indexPages: z.boolean().default(false),
});

/**
 * Different settings for some hosts. Settings that are not named stay as for all; where several overrides match, the
 * last one counts.
 */
export const overrideSchema = z.strictObject({
  /**
   * Host names; `*` matches any labels: `*.example.org`. With `:port` where it is not the scheme's
   * default.
   */
  hosts: z.array(z.string().min(1)).min(1),
  delayMs: ms.optional(),
  adaptive: z.boolean().optional(),
  maxCrawlDelayMs: ms.optional(),
  perHost: positive.max(64).optional(),
  maxBytesPerSecondPerHost: bytesPerSecond.optional(),
  robots: z.enum(['obey', 'ignore']).optional(),
  maxPagesPerHost: positive.optional(),
  maxPagesPerTemplate: positive.optional(),
  maxDepth: count.optional(),
  maxBodyBytes: positive.optional(),
  importance: importance.optional(),
  /** When requests to the hosts are allowed (`crawl/host-hours.ts`). */
  hours: checked('ranges of hours such as 22:00-06:00', hoursFault).optional(),
  days: checked('days such as mon-fri', daysFault).optional(),
  /** The zone of these times. Absent: UTC. */
  timeZone: zoneName.optional(),
  /** Besides those for all hosts. */
  include: z.array(z.string()).optional(),
  exclude: z.array(z.string()).optional(),
});

export const crawlConfigSchema = z.strictObject({
  // ---- scope
  /**
   * `page`: the seeds alone; `prefix`: below a seed's folder; `host`; `domain`: the registrable domain;
   * `any`.
   */
  scope: z.enum(SCOPES).default('host'),
  /** Regular expressions on the canonical URL; where some are given, one must match. Seeds are exempt. */
  include: z.array(z.string()).default([]),
  /** Regular expressions on the canonical URL; one that matches excludes it, seeds too. */
  exclude: z.array(z.string()).default([]),
  /** Hosts of these names and below them; nothing else is requested, not even seeds. Absent: no bound. */
  domains: z
    .array(z.string().regex(DOMAIN, { error: 'a domain in lower case, such as example.org' }))
    .default([]),
  /** Hops from a seed. */
  maxDepth: count.optional(),
  /** Longer URLs are skipped. 2,083 was Internet Explorer's limit; Heritrix stops at 2,083 too. */
  maxUrlLength: positive.default(2083),
  /**
   * Links of one page beyond this number are left out and counted. Indexes of large documentations have tens
   * of thousands on a page. Heritrix: 6,000. Whatever the number, a page's links have 32 million characters
   * at most.
   */
  maxLinksPerPage: positive.default(100_000),
  /** Each link's folders are tried too: `/a/b/c` gives `/a/b/`, `/a/` and `/`. */
  ascendPaths: z.boolean().default(false),
  urlRules: urlRulesSchema.prefault({}),
  /** Redirects in a row. RFC 9110 names no number; Fetch allows 20, Heritrix and curl -L 20 to 50. */
  maxRedirects: count.default(10),

  // ---- traps: URL spaces that grow without new content
  /** Longer paths are skipped, in segments. Heritrix (TooManyPathSegmentsDecideRule): 20. */
  maxPathDepth: positive.default(20),
  /**
   * So often the same segments may be in a row: `/a/b/a/b/` has two. Heritrix (PathologicalPathDecideRule):
   * 3.
   */
  maxRepeatedSegments: positive.default(3),
  /** Queries with more parameters are skipped. */
  maxQueryParameters: positive.default(32),
  /**
   * After this many pages of a host, its pages are watched: groups of URLs (by template, combinations of
   * parameters, folders) whose last pages brought almost nothing new are no longer fetched. 0: never.
   */
  trapAfterPages: count.default(100),
  /** Almost nothing: a smaller share of a group's last pages brought a new link or a new text. */
  trapMinNew: z.number().min(0).max(1).default(0.05),

  // ---- statements of pages, and page requisites
  /** `nofollow`, of a page (meta robots, X-Robots-Tag) and of a link: not followed. */
  obeyNofollow: z.boolean().default(true),
  /** The use that is made of the content, which sites may forbid (`usage/purpose.ts`). Absent: nothing is refused. */
  purpose: z.enum(PURPOSES).optional(),
  /**
   * Pages in other languages are archived, and kept from hooks, documents and exports; their links are followed. Absent: pages of all
   * languages are used.
   */
  languages: z
    .array(z.string().refine(isLanguage, { error: 'a language, such as de' }))
    .min(1)
    .optional(),
  /**
   * PDF and Office documents, and those of the project's modules: their links are followed, and hooks get their text. Otherwise they are only
   * archived.
   */
  readDocuments: z.boolean().default(true),
  /** `noindex`: the page is archived, and is not given to `onPage`. */
  obeyNoindex: z.boolean().default(true),
  /**
   * A page that names another one as its canonical one is its duplicate: that one is fetched, and this one
   * not given to `onPage`.
   */
  obeyCanonical: z.boolean().default(true),
  /**
   * Hosts with many URLs get one request for a URL that does not exist; pages with the same answer are gone (soft 404).
   */
  soft404: z.boolean().default(false),
  /**
   * Pages whose own text is nearly the same as that of an earlier page of the same template in the host's turn: `mark` says so to hooks
   * and in records, `skip` also leaves out their links, and keeps them from hooks, documents and exports.
   */
  nearDuplicates: z.enum(NEAR_DUPLICATES).default('off'),
  /** A meta refresh of at most 5 s is a redirect; else its target is a link. */
  softRedirects: z.boolean().default(true),
  /**
   * Images, styles, scripts, media and frames of pages are fetched too, wherever they are, so that pages
   * replay whole. They count as no pages; a crawl that has met `maxPages` fetches them before it ends.
   */
  requisites: z.boolean().default(false),

  // ---- sitemaps and feeds
  /** `robots`: those that robots.txt names; `find`: `/sitemap.xml` too, where it names none. */
  sitemaps: z.enum(SITEMAPS).default('robots'),
  /**
   * Sitemaps of one host beyond this number are left out and counted. A full index has 50,000 by the
   * protocol; those of large sites have several thousand.
   */
  maxSitemapsPerHost: positive.max(50_000).default(10_000),
  /** Sitemaps read besides, by URL. */
  sitemapUrls: z.array(z.string()).default([]),
  /**
   * URLs of sitemaps that were not modified since then are skipped: `2026-01-31`, or with a time (ISO 8601).
   */
  modifiedSince: z.iso
    .date()
    .or(z.iso.datetime({ offset: true }))
    .optional(),
  /** Links of RSS and Atom feeds, which pages name as their alternates. */
  feeds: z.boolean().default(true),

  // ---- recrawl
  /** `off`: each page is fetched once. Other values: see `recrawl/fetch-interval.ts`. */
  recrawl: z.enum(RECRAWLS).default('off'),
  /** Each page again after this time, however often it changes. More than 60 days would outlast a due time. */
  recrawlEveryMs: ms
    .min(60_000)
    .max(60 * 86_400_000)
    .optional(),
  /** All pages again at these times instead: a cron expression (`crawl/cron.ts`). */
  recrawlSchedule: checked('a cron expression', scheduleFault).optional(),
  /** The zone of these times. Absent: UTC. */
  recrawlTimeZone: zoneName.optional(),
  /** Pages count this number of times as important as they are: in `overrides`, those of some hosts. */
  importance: importance.default(1),
  /** Fetches of known pages per day. Absent: a fifth of the pages known. */
  recrawlPerDay: positive.optional(),
  /** Each change of a page is reported: to the project's webhook, and on a stack on its event bus. */
  changeFeed: z.boolean().optional(),

  // ---- outputs
  /** At the end of the crawl there is a document of each page: in the folder, or as an export of the stack. */
  documents: z.boolean().optional(),

  // ---- limits that end the crawl
  /** Pages: responses other than redirects, robots.txt, sitemaps and requisites, whatever their status. */
  maxPages: positive.optional(),
  /** Bytes of all bodies as received. */
  maxBytes: positive.optional(),
  maxTimeMs: positive.optional(),
  /** US dollars at list price, on an engine that is billed by use. The crawl pauses before it costs more. */
  maxCost: z.number().positive().optional(),
  maxPagesPerHost: positive.optional(),
  /** Pages of one URL template (`url/template-of.ts`) of a host. Seeds are exempt. */
  maxPagesPerTemplate: positive.optional(),
  /**
   * Requests for pages of a registrable domain in a period, over all its hosts; `off`: no such limit; `links`, or
   * `links:N`: more for a domain to which many domains link (`frontier/link-budget.ts`). In a crawl of scope `any` 1,000
   * if nothing is given, in others `off` (`domain-limits.ts`).
   */
  domainBudget: z
    .union([
      z.literal(['off', 'links']),
      z.string().regex(LINK_BUDGET) as unknown as z.ZodType<`links:${number}`, `links:${number}`>,
      positive,
    ])
    .optional(),
  /** Different budgets of some registrable domains, by name. */
  domainBudgets: z
    .record(z.string().regex(DOMAIN, { error: 'a domain in lower case, such as example.org' }), positive)
    .refine((budgets) => Object.keys(budgets).length <= MAX_DOMAIN_BUDGETS, {
      error: `at most ${MAX_DOMAIN_BUDGETS} domains`,
    })
    .default({}),
  /** The period. IRLbot: a day. */
  domainBudgetEveryMs: z.number().min(1000).max(MAX_BUDGET_PERIOD_MS).default(86_400_000),
  /** Hosts of a registrable domain that are visited; as with `domainBudget`, 1,000 or `off` if nothing is given. */
  maxHostsPerDomain: z.union([z.literal('off'), positive.max(MAX_HOSTS_PER_DOMAIN)]).optional(),

  // ---- politeness
  /** Least gap from the end of a response to the start of the next request to the host. */
  delayMs: ms.default(1000),
  /**
   * Least gap between two requests to an IP address, over all hosts at it, of which then one is requested at a time. 0: hosts
   * are alone at their addresses, or it does not matter. BUbiNG: 500.
   */
  ipDelayMs: ms.max(MAX_IP_DELAY_MS).default(0),
  /** CIDR blocks of addresses without such a gap: those of CDNs, behind which are many servers. */
  ipDelayExcept: z.array(z.cidrv4().or(z.cidrv6())).max(MAX_IP_BLOCKS).default([]),
  /** Wait longer for hosts that answer slowly. */
  adaptive: z.boolean().default(true),
  /** The gap is at least this many times the last response's time (Heritrix: 5; Mercator: 10) ... */
  adaptiveFactor: z.number().min(0).default(5),
  /** ... but no more than this (Heritrix: 30 s). */
  maxAdaptiveDelayMs: ms.default(30_000),
  /** A longer Crawl-delay is taken as this. */
  maxCrawlDelayMs: ms.default(60_000),
  /**
   * Bytes a second of a host, as received: after a body the host rests until it would have come at this rate
   * (`frontier/byte-rate.ts`). Heritrix: `max-per-host-bandwidth-usage-KB-sec`.
   */
  maxBytesPerSecondPerHost: bytesPerSecond.optional(),
  /**
   * As `maxBytesPerSecondPerHost`, for all hosts together: a request begins when the rate has room for its bytes
   * (`frontier/crawl-rate.ts`).
   */
  maxBytesPerSecond: bytesPerSecond.optional(),
  /** Requests in flight to one host. More than one only for a site of one's own. */
  perHost: positive.max(64).default(1),
  robots: z.enum(['obey', 'ignore']).default('obey'),
  /** RFC 9309, section 2.4: not used for more than 24 hours. */
  robotsMaxAgeMs: ms.max(86_400_000).default(86_400_000),
  /** A `Retry-After` beyond this is taken as this. */
  maxRetryAfterMs: ms.default(3_600_000),
  /** First rest after a failing response or connection; doubles with each failure in a row. */
  backoffMs: ms.default(5000),
  maxBackoffMs: ms.default(600_000),
  /** A URL that fails by itself (500) is tried again after this; twice as long after each further try. */
  retryMs: ms.default(1000),
  /** Tries of one URL before it counts as failed. */
  maxAttempts: positive.default(3),
  /** Failures of a host in a row after which it is set aside with its cause. */
  maxHostFailures: positive.default(5),
  /**
   * Off: a crawl of which no host has ever answered ends after the second try of each. On: each host has
   * `maxHostFailures` tries even then.
   */
  keepTrying: z.boolean().default(false),

  // ---- who we are
  /** The product token that robots.txt names; `User-Agent: TOKEN (+CONTACT)`. */
  userAgent: z
    .string()
    .regex(/^[\x20-\x7e]+$/, 'printable ASCII')
    .default('Strand/0.1'),
  /** URL or mail address at which the crawl's operator can be reached. */
  contact: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'a URL or a mail address')
    .optional(),
  ...identityShape,

  // ---- network
  /** CIDR blocks of special addresses that may be connected to, such as `127.0.0.0/8`. */
  allowPrivateAddresses: z.array(z.string()).default([]),
  /** Ports that may be requested though browsers refuse them (`url/blocked-ports.ts`), such as 6000. */
  allowPorts: z.array(z.int().min(1).max(65_535)).default([]),
  /**
   * Equivalent to `tls: 'any'`: accept certificates that are expired, self-signed, of another host or of an
   * unknown issuer. Heritrix and Nutch do so.
   */
  allowInvalidCertificates: z.boolean().default(false),
  ...tlsShape,
  /** Host name patterns (`*` for any labels) pinned to an address: `['*.test', '127.0.0.1']`. */
  resolve: z.array(z.tuple([z.string(), z.string()])).default([]),
  /** Hosts whose pages come from folders of this machine. Empty for most crawls. */
  fromFolder: z.array(z.tuple([folderHost, z.string().min(1)])).default([]),
  connectTimeoutMs: ms.default(10_000),
  /** From the request sent to the response's head. */
  headersTimeoutMs: ms.default(30_000),
  /** Between two pieces of a body. */
  idleTimeoutMs: ms.default(20_000),
  /** The whole exchange. A turn's lease must outlast it. */
  totalTimeoutMs: positive.max(600_000).default(120_000),
  /** A larger body is cut, and marked so. Common Crawl cuts at 1 MiB, since 2025 at 5 MiB. */
  maxBodyBytes: positive.default(16 * 1024 * 1024),
  /** The largest head of a response, interim responses included. Chrome: 256 KB. */
  maxHeaderBytes: positive.default(256 * 1024),
  /** How much of a decompressed page is parsed: protects against compression bombs. */
  maxDecodedBytes: positive.default(32 * 1024 * 1024),

  /** Different settings for some hosts. */
  overrides: z.array(overrideSchema).default([]),

  // ---- archive
  /** A payload that the crawl has archived before is not stored again: a `revisit` record refers to it. */
  revisits: z.boolean().default(true),
  /** A `metadata` record beside each page: title, number of links, how it was found, how long it took. */
  metadata: z.boolean().default(true),
  /**
   * At most this many links of a page are listed in its `metadata` record, each with its kind. 60 make it 500
   * bytes longer.
   */
  metadataLinks: count.max(500).default(0),

  // ---- pages that hang
  /**
   * A page that blocks its thread for so long is not fetched again: it fails, with that cause. Also what the
   * part of a hook before its first `await` may take, less a quarter. On AWS five times as long, as a
   * function has part of a processor.
   */
  blockTimeoutMs: positive.min(1000).max(60_000).default(4000),

  // ---- hooks
  /**
   * The time that a hook may take for one page. A turn's lease must outlast an exchange and the hooks of its
   * page.
   */
  hookTimeoutMs: positive.max(90_000).default(10_000),

  // ---- engine
  /** Hosts that one worker serves at once. */
  hosts: positive.max(10_000).default(250),
  /**
   * A turn ends after this many pages or this long, and its outcome is committed. Long turns cost less
   * (docs/performance.md).
   */
  turnMaxPages: positive.default(400),
  turnMaxMs: positive.default(60_000),
  /** A wait for the host's next moment up to this is waited out inside the turn. */
  turnMaxWaitMs: ms.default(10_000),
  /** WARC files are closed at this size. */
  warcMaxBytes: positive.default(1_000_000_000),
});

/**
 * The complete configuration. Throws {@link InvalidConfig} with a line for each key that is unknown or wrong.
 */
export function parseConfig(given: unknown): CrawlConfig {
  const parsed = crawlConfigSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new InvalidConfig(z.prettifyError(parsed.error), { cause: parsed.error });
}
