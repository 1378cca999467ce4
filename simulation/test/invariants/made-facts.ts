/** Facts of a small crawl in which all is well, made by hand: what the invariants' own tests change. */
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { type Head, NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { EMPTY_INDEX } from '../../../shared/core/frontier/ledger-index.ts';
import { levelOf, MAX_LEVEL } from '../../../shared/core/frontier/rank.ts';
import type { UrlRecord, UrlState } from '../../../shared/core/frontier/url-record.ts';
import { endedType } from '../../../shared/services/webhook/crawl-events.ts';
import { checkFacts } from '../../invariants/check-world.ts';
import type { CrawlFacts, Facts, HostFacts } from '../../invariants/facts.ts';
import type { HeadChange } from '../../invariants/history-probe.ts';
import { base32 } from '../../invariants/warc.ts';
import { NO_FAULTS } from '../../models/faults.ts';
import { T0 } from '../../models/virtual-time.ts';
import type { SentEvent, WebRequest } from '../../worlds/spec.ts';

export const HOME = 'http://a.test/';
export const PAGE = 'http://a.test/page';
export const OLD = 'http://a.test/old';
export const SECRET = 'http://a.test/secret';
/** Pages whose use is forbidden by robots.txt, by their answer, by a file. */
export const RESERVED = 'http://a.test/reserved';
export const FIELD = 'http://a.test/field';
export const FILED = 'http://a.test/filed';
export const OTHER = 'http://b.test/';
export const ROBOTS = 'http://a.test/robots.txt';
export const CRAWL_DELAY_MS = 3000;

/** Where each URL leads, what it answers, and how it ends in the ledger. */
const LINKS: Readonly<Record<string, readonly string[]>> = { [HOME]: [PAGE, OLD, SECRET, OTHER] };
const REDIRECTS: Readonly<Record<string, string>> = { [OLD]: PAGE };

const bodyOf = (url: string): string => `the page ${url}`;
const sha1Of = (url: string): string => hash('sha1', bodyOf(url), 'hex');

/** In seconds from the beginning. */
export function request(url: string, from: number, to: number, more: Partial<WebRequest> = {}): WebRequest {
  const isRobots = url.endsWith('/robots.txt');
  return {
    url,
    host: new URL(url).host,
    isRobots,
    startedAt: T0 + from * 1000,
    endedAt: T0 + to * 1000,
    process: 'worker-1',
    httpStatus: 200,
    sha1: sha1Of(url),
    ...(isRobots && { robotsVersion: 0 }),
    ...more,
  };
}

export const LOG: readonly WebRequest[] = [
  request(ROBOTS, 0, 0.1),
  request(HOME, 3.1, 3.2),
  request('http://b.test/robots.txt', 4, 4.1, { httpStatus: 404 }),
  request(OTHER, 5.1, 5.2),
  request(PAGE, 6.2, 6.3),
  request(OLD, 9.3, 9.4, { httpStatus: 301 }),
];

/** One WARC response record as one gzip member. */
export function warcMember(url: string, httpStatus: number, body = bodyOf(url)): Uint8Array {
  const block = `HTTP/1.1 ${httpStatus} Some\r\nContent-Type: text/html\r\n\r\n${body}`;
  const head = [
    'WARC/1.1',
    'WARC-Type: response',
    `WARC-Target-URI: ${url}`,
    `WARC-Payload-Digest: sha1:${base32(hash('sha1', body, 'hex'))}`,
    `Content-Length: ${block.length}`,
  ];
  return gzipSync(`${head.join('\r\n')}\r\n\r\n${block}\r\n\r\n`);
}

/** Bytes before the record of each file. */
const LEAD = 20;
/** A file for each record, with something before it. */
export const fileOf = (url: string): string =>
  `${new URL(url).host}${new URL(url).pathname.replaceAll('/', '-')}.warc.gz`;

export function urlRecord(
  url: string,
  state: UrlState,
  httpStatus?: number,
  more: Partial<UrlRecord> = {},
): UrlRecord {
  const isSeed = url === HOME;
  return {
    url,
    state,
    depth: isSeed ? 0 : 1,
    level: isSeed ? MAX_LEVEL : levelOf(url, HOME),
    ...(!isSeed && { via: HOME }),
    seenAt: T0,
    redirects: 0,
    attempts: 1,
    dueAt: 0,
    ...(httpStatus !== undefined && {
      result: {
        fetchedAt: T0,
        httpStatus,
        digest: Buffer.from(sha1Of(url), 'hex'),
        location: { file: fileOf(url), offset: LEAD, length: warcMember(url, httpStatus).length },
      },
    }),
    ...more,
  };
}

export const RECORDS: readonly UrlRecord[] = [
  urlRecord(HOME, 'fetched', 200),
  urlRecord(PAGE, 'fetched', 200),
  urlRecord(OLD, 'redirect', 301),
  urlRecord(SECRET, 'deniedByRobots', undefined, {
    attempts: 0,
    result: { fetchedAt: T0, cause: { code: 'robotsDenied', line: 3, pattern: '/secret' } },
  }),
  urlRecord(OTHER, 'fetched', 200),
];

/** The host's head as it must be for these records. */
export function hostFacts(host: string, records: readonly UrlRecord[], more: Partial<Head> = {}): HostFacts {
  const counts: Record<UrlState, number> = { ...EMPTY_INDEX.counts };
  for (const { state } of records) counts[state]++;
  const pages = records.filter(({ state, result }) => result?.location && state !== 'redirect').length;
  const head = {
    ...NEW_HEAD,
    version: 2,
    ledger: { ...EMPTY_INDEX, counts },
    totals: { ...NEW_HEAD.totals, pages },
    ...more,
  };
  return { host, head, heads: [], records, parts: [], partObjects: [] };
}

/** A head as it was stored at that second: what it differs in from the one before. */
export const headAt = (at: number, before: HeadChange | undefined, more: Partial<Head>): HeadChange => ({
  at: T0 + at * 1000,
  head: { ...(before?.head ?? NEW_HEAD), version: (before?.head.version ?? 0) + 1, ...more },
});

/** The crawl of one host with these heads. */
export function hostWith(
  heads: readonly HeadChange[],
  records: readonly UrlRecord[],
  config: object = {},
  statuses: CrawlFacts['statuses'] = [],
): CrawlFacts {
  const crawl = crawlFacts(records, { config, statuses });
  const [host] = crawl.hosts.values();
  const last = heads.at(-1)?.head;
  if (!host || !last) return crawl;
  const facts = { ...host, head: { ...last, ledger: host.head.ledger }, heads };
  return { ...crawl, hosts: new Map([[host.host, facts]]) };
}

export function crawlFacts(
  records: readonly UrlRecord[] = RECORDS,
  { config, ...more }: Partial<Omit<CrawlFacts, 'config'>> & { readonly config?: object } = {},
): CrawlFacts {
  const byHost = Map.groupBy(records, ({ url }) => new URL(url).host);
  const hosts = new Map([...byHost].map(([host, some]) => [host, hostFacts(host, some)]));
  const known = new Map(records.map((record) => [record.url, record]));
  const files = records.flatMap(({ url, result }) => {
    if (result?.httpStatus === undefined) return [];
    const bytes = Buffer.concat([Buffer.alloc(LEAD), warcMember(url, result.httpStatus), Buffer.alloc(7)]);
    return [[fileOf(url), bytes] as const];
  });
  return {
    id: 'crawl',
    seeds: [HOME],
    laterSeeds: [],
    openHosts: [],
    config: parseConfig({ scope: 'any', maxDepth: 3, delayMs: 1000, adaptive: false, ...config }),
    status: 'finished',
    statuses: [],
    touchedAt: [],
    changes: [],
    costs: [],
    scopeSeeds: [HOME],
    hosts,
    domains: new Map(),
    known,
    totals: totalsOf(hosts.values()),
    isExact: false,
    files: new Map(files),
    aside: [],
    uploads: [],
    items: [],
    itemObjects: [],
    tabledItems: [],
    state: new Map(),
    stagedItems: [],
    unsentChanges: [],
    tables: new Map(),
    joined: new Map(),
    ...more,
  };
}

function totalsOf(hosts: Iterable<HostFacts>): Record<string, number> {
  const totals: Record<string, number> = { 'usage.s3Puts': 3 };
  for (const { head } of hosts) {
    totals.hosts = (totals.hosts ?? 0) + 1;
    totals.pages = (totals.pages ?? 0) + head.totals.pages;
    if (head.ledger.counts.waiting > 0 && head.setAside === undefined)
      totals.hostsWaiting = (totals.hostsWaiting ?? 0) + 1;
    if (head.dueAt !== undefined) totals.hostsDue = (totals.hostsDue ?? 0) + 1;
    for (const [state, count] of Object.entries(head.ledger.counts))
      totals[`urls.${state}`] = (totals[`urls.${state}`] ?? 0) + count;
  }
  return totals;
}

/**
 * Version 0 of a.test's robots.txt forbids `/secret` and asks for a delay; version 1 forbids all, and asks
 * for none.
 */
export function makeFacts({
  log = LOG,
  crawls = [crawlFacts()],
  ...more
}: Partial<Facts> & { readonly log?: readonly WebRequest[] } = {}): Facts {
  return {
    now: T0 + 60_000,
    hasEnded: true,
    web: {
      log,
      memberHosts: [],
      linksOf: (url) => LINKS[url] ?? [],
      isShown: () => true,
      parts: [],
      isScripted: () => false,
      partsOf: () => [],
      requisitesOf: () => [],
      requestsOf: () => [],
      canonicalOf: () => undefined,
      redirectOf: (url) => REDIRECTS[url],
      isChange: (url) => url.includes('/delete'),
      isDated: () => false,
      isAlternateFeed: () => false,
      isIndex: () => false,
      priorityIn: () => undefined,
      modifiedIn: () => undefined,
      sitemapsNamedIn: () => [],
      isTrap: (url) => url.includes('/cal/'),
      isMissing: (url) => url.includes('/missing/'),
      harmOf: () => undefined,
      allows: (url, version) => version === 0 && url !== SECRET,
      forbidsUse: (url, version) => version === 0 && url === RESERVED,
      reservesUse: (url) => (url === FIELD ? 'inField' : url === FILED ? 'inFile' : undefined),
      crawlDelayMs: (_host, version) => (version === 0 ? CRAWL_DELAY_MS : undefined),
    },
    crawls,
    events: crawls.flatMap(eventsOf),
    pageChanges: [],
    refusedHosts: [],
    crawlCount: 1,
    strikes: NO_FAULTS.counts,
    invocations: { worker: 4, small: 0, router: 2, waker: 5 },
    strayedStarts: [],
    turnQueues: 2,
    failures: [],
    messages: [],
    deadLetters: [],
    misfits: [],
    seen: [],
    leaseMs: 66_000,
    hostsPerWorker: 10,
    hasCompactor: false,
    hasLinkShards: false,
    ...more,
  };
}

/** The events of each end, as they are to be. */
const eventsOf = ({ id, statuses }: CrawlFacts): SentEvent[] =>
  statuses.flatMap(({ status, code, at }, i) => {
    const type = endedType({ state: status, reasonCode: code });
    return type === undefined ? [] : [{ at: at + 1000, crawl: id, type, id: `${i}`, isReceived: true }];
  });

/** Strikes of these faults, once each. */
export const struck = (...names: (keyof Facts['strikes'])[]): Facts['strikes'] => ({
  ...NO_FAULTS.counts,
  ...Object.fromEntries(names.map((name) => [name, 1])),
});

/** The violations as `invariant: message`. */
export const messagesOf = (facts: Facts): string[] =>
  checkFacts(facts)
    .filter(({ excuse }) => excuse === undefined)
    .map(({ invariant, message }) => `${invariant}: ${message}`);

/** Returns the violations of one invariant, as `invariant: message`. */
export const violationsOf = (invariant: string, facts: Facts): string[] =>
  messagesOf(facts).filter((text) => text.startsWith(`${invariant}:`));

/** Returns the excused findings, as `excuse: message`. */
export const excused = (facts: Facts): string[] =>
  checkFacts(facts).flatMap(({ excuse, message }) => (excuse === undefined ? [] : `${excuse}: ${message}`));
