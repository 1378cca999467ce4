import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { fetchedUrl, isOwnRequest } from '../../shared/core/url/request-url.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, isPage, mayHaveLostTurns } from './facts.ts';
import { createFindings, type Findings, seconds, since } from './findings.ts';
import { toHex } from './warc.ts';

type UsedFacts = Pick<Facts, 'crawls' | 'web' | 'strikes'>;

/**
 * A process reads what the whole crawl has used every 5 s, at its next look after that, every 2 s
 * (`crawl-state/crawls.ts`); and a second for calls.
 */
const TOTALS_LAG_MS = 8000;
/** A turn commits within so long after its last page (no fault striking). */
const COMMIT_MS = 5000;
/** Turns that could use up what is left of `maxPages` (`crawl-state/budget.ts`). */
const TURNS_TO_LIMIT = 20;

/**
 * No host gives more than `maxPagesPerHost` pages. A crawl gives no more than `maxPages` and what is in
 * flight when they are met; no URL is deeper, longer or reached by more redirects than allowed.
 *
 * In flight (`crawl-state/budget.ts`): a process knows its own pages at once, and those of others when their
 * turns are committed and it reads the totals again. So each host may add one turn's pages, a twentieth of
 * `maxPages` at most, and what it can give at its pace until the totals are read. Pages that the counters
 * lost (`counted`) nobody can have known of.
 */
export function limitsKept(facts: UsedFacts): readonly Violation[] {
  const findings = createFindings('limitsKept');
  for (const crawl of facts.crawls) {
    checkHosts(findings, crawl);
    checkUrls(findings, crawl);
    if (crawl.config.maxPages !== undefined) checkPages(findings, crawl, crawl.config.maxPages, facts);
  }
  return findings.list;
}

function checkHosts(findings: Findings, { id, config, hosts }: CrawlFacts): void {
  const { maxPagesPerHost = Number.POSITIVE_INFINITY } = config;
  for (const { host, head, records } of hosts.values()) {
    const pages = Math.max(head.totals.pages, records.filter(isPage).length);
    if (pages > maxPagesPerHost)
      findings.add(`${id}: ${host} gave ${pages} pages, expected at most ${maxPagesPerHost}`, { host });
  }
}

function checkUrls(findings: Findings, { id, config, hosts }: CrawlFacts): void {
  const { maxDepth = Number.POSITIVE_INFINITY, maxUrlLength, maxRedirects } = config;
  for (const { host, records } of hosts.values())
    for (const { url, kind, depth, redirects } of records) {
      // A requisite's depth is that of its page, and more: it is fetched with that. A project's request is one in any depth.
      if (depth > maxDepth && kind !== 'requisite' && !isOwnRequest(url))
        findings.add(`${id}: ${url} has depth ${depth}, expected at most ${maxDepth}`, { host });
      if (fetchedUrl(url).length > maxUrlLength)
        findings.add(`${id}: ${url} has ${url.length} characters, expected at most ${maxUrlLength}`, {
          host,
        });
      if (redirects > maxRedirects)
        findings.add(`${id}: ${redirects} redirects led to ${url}, expected at most ${maxRedirects}`, {
          host,
        });
    }
}

function checkPages(findings: Findings, crawl: CrawlFacts, maxPages: number, facts: UsedFacts): void {
  const { id, config, hosts, known, totals } = crawl;
  const pages = [...known.values()].filter(isPage);
  // No process saw pages that the counters do not have.
  const seen = mayHaveLostTurns(facts) ? Math.min(pages.length, totals.pages ?? 0) : pages.length;
  if (seen <= maxPages) return;
  const giving = [...hosts.values()].filter(({ head }) => head.totals.pages > 0).length;
  const perTurn = Math.max(1, Math.ceil(maxPages / TURNS_TO_LIMIT));
  const perHost = perTurn + Math.ceil(TOTALS_LAG_MS / Math.max(config.delayMs, 1));
  if (seen > maxPages + giving * perHost)
    findings.add(
      `${id} has ${seen} pages, expected at most ${maxPages} and ${perHost} in flight of each of ${giving} hosts`,
    );
  if (!mayHaveLostTurns(facts)) checkLast(findings, { ...crawl, pages }, maxPages, facts);
}

/** The last page did not begin after enough pages had ended for each process to know of the limit. */
function checkLast(
  findings: Findings,
  { id, config, pages }: Pick<CrawlFacts, 'id' | 'config'> & { readonly pages: readonly UrlRecord[] },
  maxPages: number,
  { web }: UsedFacts,
): void {
  const requests = Map.groupBy(web.log, ({ url }) => url);
  // If several requests may be the one: the earliest begin, the latest end.
  const times = pages.flatMap((page) => {
    const matching = (requests.get(page.url) ?? []).filter((request) => isOf(page, request));
    if (matching.length === 0) return [];
    return {
      page,
      startedAt: Math.min(...matching.map(({ startedAt }) => startedAt)),
      endedAt: Math.max(...matching.map(({ endedAt }) => endedAt)),
    };
  });
  const last = times.toSorted((a, b) => b.startedAt - a.startedAt)[0];
  if (!last) return;
  const lagMs = config.turnMaxMs + config.totalTimeoutMs + COMMIT_MS + TOTALS_LAG_MS;
  const before = times.filter(({ endedAt }) => endedAt <= last.startedAt - lagMs).length;
  if (before >= maxPages)
    findings.add(
      `${id}: ${last.page.url} was begun ${since(last.startedAt)}, when ${before} pages had ended ${seconds(lagMs)} before; expected none after ${maxPages} pages`,
      { at: last.startedAt },
    );
}

const isOf = ({ result }: UrlRecord, { httpStatus, sha1 }: WebRequest): boolean =>
  httpStatus === result?.httpStatus && sha1 === toHex(result?.digest ?? new Uint8Array());
