/**
 * The full result of a crawl: the figures of `strand report`, made in one pass over the hosts and their URLs.
 */
import type { AccountReport } from '../../core/access/account-report.ts';
import { optionalText } from '../../core/causes/cause-text.ts';
import type { CrawlConfig } from '../../core/crawl/crawl-options.ts';
import { createHostConfigs } from '../../core/crawl/host-config.ts';
import type { Sites } from '../../core/crawl/sites.ts';
import { type DomainState, isDomain } from '../../core/frontier/domain-state.ts';
import type { Head } from '../../core/frontier/head.ts';
import { addCounts } from '../../core/frontier/host-totals.ts';
import { medianLinkers } from '../../core/frontier/link-budget.ts';
import { type ClosedGroup, closedGroups } from '../../core/frontier/trap-watch.ts';
import type { UrlRecord, UrlState } from '../../core/frontier/url-record.ts';
import { isRoute } from '../../core/url/hash-route.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import { type DomainEntry, domainEntry } from './domain-entry.ts';
import { createNearClusters } from './near-copies.ts';
import type { NearClusters } from './near-copy.ts';
import { createTemplateTable, type RenderedTemplate } from './rendering-words.ts';
import { createDuplicates, type Duplicates } from './report-duplicates.ts';
import { Freshness, type FreshnessReport } from './report-freshness.ts';
import { createHistogram, type Histogram } from './report-histogram.ts';
import { createTimeline, type Timeline } from './report-timeline.ts';
import { createTop } from './report-top.ts';
import { type CrawlSummary, orderedSummary } from './summary.ts';
import type { UnreadableHosts } from './unreadable-hosts.ts';

export interface CrawlReport {
  readonly summary: CrawlSummary;
  /** Only if parts of ledgers are gone or damaged: the hosts whose URLs the report lacks. */
  readonly unreadable?: UnreadableHosts;
  /** Only if accounts of the project were used: these. */
  readonly accounts?: readonly AccountReport[];
  /** When it was made: ms since the epoch. */
  readonly madeAt: number;
  /**
   * Media types of responses other than redirects, the most frequent first; rare ones are counted as `other`.
   */
  readonly types: readonly TypeRow[];
  /** Bytes of bodies as received. */
  readonly sizes: Histogram;
  /** ms from the request to the body's end. */
  readonly times: Histogram;
  /** Fetches over time: the last one of each URL. */
  readonly timeline?: Timeline;
  /** Pages by hops from a seed; the count at {@link LAST_DEPTH} is of that many and more. */
  readonly depths: readonly number[];
  readonly duplicates: Duplicates;
  /** Only if pages were marked: those with nearly the same text as another one of their host. */
  readonly nearDuplicates?: NearClusters;
  /** URLs fetched that are not pages. */
  readonly requisites: number;
  readonly sitemaps: number;
  readonly hosts: HostTables;
  /** In a crawl that limits them: registrable domains with most of their budgets granted in this period. */
  readonly domains: readonly DomainEntry[];
  /** Groups of URLs that were closed because they added nothing new; those with the most pages. */
  readonly closedGroups: readonly ClosedGroupRow[];
  readonly closedGroupCount: number;
  /** Templates of pages that were tried in a browser; those with the most pages. */
  readonly renderedTemplates?: readonly RenderedTemplate[];
  /** Only of a crawl that recrawls: how fresh its copies are. */
  readonly freshness?: FreshnessReport;
}

interface TypeRow {
  readonly type: string;
  readonly count: number;
  readonly bytes: number;
}

export interface HostRow {
  readonly host: HostKey;
  readonly pages: number;
  readonly bytes: number;
  readonly requests: number;
  /** Exchanges that failed. */
  readonly errors: number;
  /** Over responses whose duration is known. */
  readonly meanMs: number;
  readonly maxMs: number;
  /** Cause of its last failure; for a host that was given up, the reason. */
  readonly cause?: string;
}

/** The first of each order. */
interface HostTables {
  readonly byPages: readonly HostRow[];
  readonly byBytes: readonly HostRow[];
  /** By mean time, of hosts with enough answers for a mean. */
  readonly slowest: readonly HostRow[];
  /** By failed exchanges. */
  readonly failing: readonly HostRow[];
  readonly setAside: readonly HostRow[];
  readonly setAsideCount: number;
}

interface ClosedGroupRow extends ClosedGroup {
  readonly host: HostKey;
  readonly pages: number;
}

/** A host, or a registrable domain with the key of its head. */
export interface ReportedHost {
  readonly host: HostKey;
  readonly head: Head;
  readonly records: AsyncIterable<UrlRecord>;
}

const ROWS = 20;
/** Deeper pages are counted with those of this depth. */
export const LAST_DEPTH = 28;

export const depthWord = (depth: number): string =>
  depth === LAST_DEPTH ? `${depth} and more` : String(depth);

/** Types come from the web, which may send any number of them. */
const MAX_TYPES = 200;
const MIN_ANSWERS = 5;

/** States in which a URL has an answer that is a page, or an error page. */
const ANSWERED: ReadonlySet<UrlState> = new Set(['fetched', 'gone']);

/**
 * Each host is requested once, and its records read once. Memory does not grow with hosts or URLs: it has
 * some 50 MB. `config` and `sites`: of the crawl, by which copies are fetched again.
 */
export async function buildReport(
  hosts: AsyncIterable<ReportedHost>,
  summary: CrawlSummary,
  madeAt: number,
  { config, sites }: { readonly config?: CrawlConfig; readonly sites?: Sites | undefined } = {},
): Promise<CrawlReport> {
  const [sizes, times, timeline] = [createHistogram(), createHistogram(), createTimeline()];
  const [duplicates, nearClusters] = [createDuplicates(), createNearClusters()];
  const templates = createTemplateTable();
  const types = new Map<string, { count: number; bytes: number }>();
  const depths: number[] = [];
  const kinds = { requisite: 0, sitemap: 0 };
  const tables = createHostTables();
  const groups = createTop<ClosedGroupRow>(ROWS, ({ pages }) => pages);
  const fresh = new Freshness(madeAt);
  const configOf = config && createHostConfigs(config, sites);
  const domains = config && createDomainTable(config, madeAt);
  let closedGroupCount = 0;

  for await (const { host, head, records } of hosts) {
    if (head.domain) {
      domains?.add(host.slice(1), head);
      continue;
    }
    const hostTimes = createHistogram();
    templates.beginHost(host, head);
    const { importance } = configOf?.(host) ?? {};
    for await (const record of records) {
      const { state, kind, depth, result } = record;
      if (!result) continue;
      fresh.add(record, importance);
      const { fetchedAt, httpStatus, contentType, bodyBytes = 0, tookMs, digest } = result;
      if (httpStatus !== undefined) timeline.add(fetchedAt);
      if (tookMs !== undefined && httpStatus !== undefined)
        for (const histogram of [times, hostTimes]) histogram.add(tookMs);
      if (!ANSWERED.has(state)) continue;
      addType(types, contentType, bodyBytes);
      if (result.bodyBytes !== undefined) sizes.add(bodyBytes);
      if (state !== 'fetched') continue;
      if (kind) kinds[kind]++;
      else addAt(depths, Math.min(depth, LAST_DEPTH));
      if (digest && bodyBytes !== 0 && !isRoute(record.url)) duplicates.add(digest);
      for (const table of [templates, nearClusters]) table.add(record);
    }
    tables.add(host, head, hostTimes.histogram());
    fresh.endHost(host, head);
    nearClusters.endHost();
    closedGroupCount += closedGroups(head).length;
    for (const closed of closedGroups(head)) groups.add({ host, ...closed });
  }

  return {
    summary: orderedSummary(summary),
    madeAt,
    types: typeRows(types),
    sizes: sizes.histogram(),
    times: times.histogram(),
    timeline: timeline.timeline(),
    depths,
    duplicates: duplicates.duplicates(),
    requisites: kinds.requisite,
    sitemaps: kinds.sitemap,
    hosts: tables.tables(),
    domains: domains?.rows() ?? [],
    closedGroups: groups.values(),
    closedGroupCount,
    ...templates.tables(),
    ...nearClusters.clusters(),
    freshness: fresh.report(config, summary.byStatus),
  };
}

function createHostTables() {
  const byPages = createTop<HostRow>(ROWS, ({ pages }) => pages);
  const byBytes = createTop<HostRow>(ROWS, ({ bytes }) => bytes);
  const slowest = createTop<HostRow>(ROWS, ({ meanMs }) => meanMs);
  const failing = createTop<HostRow>(ROWS, ({ errors }) => errors);
  const setAside = createTop<HostRow>(ROWS, ({ errors }) => errors + 1);
  let setAsideCount = 0;
  return {
    add(host: HostKey, head: Head, times: Histogram): void {
      const { totals } = head;
      const row: HostRow = {
        host,
        pages: totals.pages,
        bytes: totals.bytes,
        requests: totals.requests,
        errors: Object.values(totals.errors).reduce((sum, count) => sum + count, 0),
        meanMs: times.count > 0 ? Math.round(times.sum / times.count) : 0,
        maxMs: times.max,
        cause: optionalText(head.setAside?.cause ?? head.clock.cause),
      };
      byPages.add(row);
      byBytes.add(row);
      if (times.count >= MIN_ANSWERS) slowest.add(row);
      failing.add(row);
      if (!head.setAside) return;
      setAsideCount++;
      setAside.add(row);
    },
    tables: (): HostTables => ({
      byPages: byPages.values(),
      byBytes: byBytes.values(),
      slowest: slowest.values(),
      failing: failing.values(),
      setAside: setAside.values(),
      setAsideCount,
    }),
  };
}

/** The budgets of all grow with the median of all, so they are found at the end. */
function createDomainTable(config: CrawlConfig, now: number) {
  const top = createTop<{ readonly domain: string; readonly state: DomainState }>(
    ROWS,
    ({ domain, state }) => {
      const { granted = 0, hosts } = domainEntry(config, domain, state, { median: 1, now });
      return granted + hosts / 1e6;
    },
  );
  let linking: Readonly<Record<string, number>> = {};
  return {
    add(domain: string, { domain: state, totals }: Head): void {
      if (state && isDomain(state)) top.add({ domain, state });
      linking = addCounts(linking, totals.linking ?? {});
    },
    rows: (): DomainEntry[] => {
      const median = medianLinkers(linking);
      return top.values().map(({ domain, state }) => domainEntry(config, domain, state, { median, now }));
    },
  };
}

function addAt(counts: number[], at: number): void {
  while (counts.length <= at) counts.push(0);
  counts[at]!++;
}

function addType(
  types: Map<string, { count: number; bytes: number }>,
  contentType: string | undefined,
  bytes: number,
): void {
  const type = (contentType ?? '').replace(/;.*/s, '').trim().toLowerCase().slice(0, 100) || 'none';
  const key = types.has(type) || types.size < MAX_TYPES ? type : OTHER;
  const row = types.get(key) ?? { count: 0, bytes: 0 };
  row.count++;
  row.bytes += bytes;
  types.set(key, row);
}

const OTHER = 'other';

function typeRows(types: ReadonlyMap<string, { count: number; bytes: number }>): TypeRow[] {
  const rows = [...types].map(([type, row]): TypeRow => ({ type, ...row }));
  rows.sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1));
  const [shown, rest] = [rows.slice(0, ROWS), rows.slice(ROWS)];
  if (rest.length === 0) return shown;
  const sum = (of: 'count' | 'bytes') => rest.reduce((total, row) => total + row[of], 0);
  return [...shown, { type: OTHER, count: sum('count'), bytes: sum('bytes') }];
}
