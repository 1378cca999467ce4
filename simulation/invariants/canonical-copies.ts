import { isRecrawling } from '../../shared/core/crawl/config.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { hostKey } from '../../shared/core/url/host-key.ts';
import { isOwnRequest } from '../../shared/core/url/request-url.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, mayHaveLostTurns } from './facts.ts';
import { finalStateOf } from './final-state.ts';
import { createFindings, type Findings } from './findings.ts';
import { scopeOf } from './scope.ts';
import type { HostVisits } from './visits.ts';

type UsedFacts = Pick<Facts, 'web' | 'messages' | 'strikes'>;

/** States by which a URL has proved to be no page. */
const NO_PAGE: ReadonlySet<UrlRecord['state']> = new Set<UrlRecord['state']>([
  'redirect',
  'gone',
  'failed',
  'deniedByRobots',
  'skipped',
]);

/**
 * A page counts as a copy of the URL that it names as canonical, and of no other, if that is another page of the crawl; then it
 * has no item. If that URL is no page, the page is one of its own: it was so from the beginning, or is fetched once more and
 * not again. Not so if that URL is on another host and does not lead back, or, on large hosts, if the page is not the first that
 * has led to it (docs/local.md).
 *
 * Which pages name which URL is the web's to say. Where a turn was discarded, its requests are made again.
 */
export function canonicalCopies(facts: UsedFacts, visited: readonly HostVisits[]): readonly Violation[] {
  const findings = createFindings('canonicalCopies');
  for (const visits of visited) {
    const { crawl, host } = visits;
    for (const record of host.records) {
      const problem = problemOf(record, crawl, facts);
      if (problem !== undefined)
        findings.add(`${crawl.id}: ${record.url} ${problem}`, {
          host: host.host,
          at: record.result?.fetchedAt,
        });
    }
    if (!isRecrawling(crawl.config) && host.heads.length > 0) checkFetches(findings, facts, visits);
  }
  return findings.list;
}

/**
 * The URL that the page names as canonical, if the crawl goes by it, it is another one, and it is not named by mistake: the root,
 * or the first page of a list, whose later page this is.
 */
export function originalOf(
  url: string,
  { config }: Pick<CrawlFacts, 'config'>,
  web: Pick<Facts['web'], 'canonicalOf'>,
): string | undefined {
  const named = config.obeyCanonical && !isOwnRequest(url) ? web.canonicalOf(url) : undefined;
  return named === undefined || named === url || isMistaken(url, named) ? undefined : named;
}

/** As the pages of this web are called (`web/places.ts`). */
function isMistaken(url: string, named: string): boolean {
  if (isRoot(named) && !isRoot(url)) return true;
  const [own = 1, first = 1] = [url, named].map((one) => Number(PAGE_OF_LIST.exec(one)?.[1] ?? 1));
  return own > 1 && first <= 1 && url.replace(PAGE_OF_LIST, '') === named.replace(PAGE_OF_LIST, '');
}

const isRoot = (url: string): boolean => url.indexOf('/', 8) === url.length - 1;
const PAGE_OF_LIST = /page=(\d+)/;

/** Whether the page was, or may have been, fetched once more, as its canonical URL has proved to be no page. */
export function mayBeFreed(
  record: UrlRecord,
  crawl: Pick<CrawlFacts, 'config' | 'known'>,
  web: Pick<Facts['web'], 'canonicalOf' | 'log'>,
): boolean {
  const original = originalOf(record.url, crawl, web);
  if (original === undefined || (record.state === 'fetched' && isCopy(record))) return false;
  // A redirect is sent to its target before the turn is committed, which may be discarded then.
  const hasRedirected = () =>
    web.log.some((request) => request.url === original && finalStateOf(request) === 'redirect');
  return isNoPage(crawl.known.get(original)) || hasRedirected();
}

/** Whether the page was in a run when it was to be fetched once more: then it has depth and level of its canonical URL. */
export const hasNewRecord = (
  record: UrlRecord,
  crawl: Pick<CrawlFacts, 'config' | 'known'>,
  web: Pick<Facts['web'], 'canonicalOf' | 'log'>,
): boolean => record.via === undefined && record.depth > 0 && mayBeFreed(record, crawl, web);

/** How often a page of a crawl that recrawls may have been fetched besides, as its canonical URL has proved to be no page. */
export function mostFreed(
  url: string,
  crawl: Pick<CrawlFacts, 'config'>,
  { canonicalOf, log }: Pick<Facts['web'], 'canonicalOf' | 'log'>,
): number {
  const original = originalOf(url, crawl, { canonicalOf });
  if (original === undefined) return 0;
  // It may have been denied or left out without a request.
  return 1 + log.filter((request) => request.url === original && finalStateOf(request) !== 'fetched').length;
}

const isCopy = ({ result }: UrlRecord): boolean => result?.duplicateOf !== undefined;

const isNoPage = (record: UrlRecord | undefined): boolean =>
  record !== undefined && NO_PAGE.has(record.state);

function problemOf(record: UrlRecord, crawl: CrawlFacts, facts: UsedFacts): string | undefined {
  const { url, state, kind, result } = record;
  const original = originalOf(url, crawl, facts.web);
  const { duplicateOf } = result ?? {};
  if (duplicateOf !== undefined && duplicateOf !== original)
    return `counts as a copy of ${duplicateOf}, and names ${original ?? 'no other page'}`;
  if (original === undefined || kind !== undefined || state !== 'fetched') return undefined;
  return duplicateOf === undefined
    ? pageProblem(record, original, crawl, facts)
    : copyProblem(record, original, crawl, facts);
}

/** The problem of a page that counts as one of its own. */
function pageProblem(
  { url, depth, result }: UrlRecord,
  original: string,
  crawl: CrawlFacts,
  { web }: UsedFacts,
): string | undefined {
  // A URL that was no page may be one when it is fetched again.
  if (isRecrawling(crawl.config) || !scopeOf(crawl.config, crawl.seeds).accepts(original, depth))
    return undefined;
  const known = crawl.known.get(original);
  const isOfPair = known?.result?.duplicateOf === url;
  const digest = Buffer.from(result?.digest ?? []).toString('hex');
  const isWhole = web.log.some((request) => request.url === url && request.sha1 === digest && !request.isCut);
  if (known?.state !== 'fetched' || isOfPair || !isWhole) return undefined;
  return `counts as a page of its own, and names the page ${original}`;
}

/** The problem of a page that counts as a copy. */
function copyProblem(
  { url }: UrlRecord,
  original: string,
  crawl: CrawlFacts,
  { web, messages, strikes }: UsedFacts,
): string | undefined {
  if (!isRecrawling(crawl.config) && crawl.items.includes(url))
    return `counts as a copy of ${original}, and has an item`;
  const known = crawl.known.get(original);
  const isElsewhere = hostKey(original) !== hostKey(url);
  if (!isElsewhere && known?.state === 'fetched' && known.result?.duplicateOf === url)
    return `and ${original} count as copies of each other`;
  if (!isNoPage(known)) return undefined;
  // It may have led back to the page before that was fetched, in a turn that was discarded.
  const mayBeLate = mayHaveLostTurns({ strikes }) || messages.some(({ urls }) => urls.includes(url));
  const mayStay = isElsewhere
    ? // One that robots.txt forbids has not been asked.
      known?.state !== 'redirect' || web.redirectOf(original) !== url || mayBeLate
    : hasRuns(crawl, hostKey(url)) && known?.via !== url;
  return mayStay ? undefined : `stays a copy of ${original}, which is ${known?.state}`;
}

/** Whether the host's ledger may have had a page out of memory. */
const hasRuns = ({ hosts }: CrawlFacts, host: string): boolean =>
  (hosts.get(host)?.heads ?? []).some(({ head }) => head.ledger.runs.length > 0);

/** A page is answered well once, and once more if it was a copy of what is no page. */
function checkFetches(
  findings: Findings,
  facts: UsedFacts,
  { crawl, host, requests, lost }: HostVisits,
): void {
  const byUrl = Map.groupBy(requests.filter(isAnswered), ({ url }) => url);
  let surplus = 0;
  const again: string[] = [];
  for (const record of host.records) {
    if (originalOf(record.url, crawl, facts.web) === undefined) continue;
    const times = byUrl.get(record.url)?.length ?? 0;
    const most = mayBeFreed(record, crawl, facts.web) ? 2 : 1;
    if (times <= most) continue;
    surplus += times - most;
    again.push(`${record.url} (${times} times, expected ${most})`);
  }
  if (surplus > (mayHaveLostTurns(facts) ? Math.max(0, lost) : 0))
    findings.add(
      `${crawl.id}: ${again.join(', ')} were fetched well too often, and ${lost} requests were lost with their turns`,
      { host: host.host },
    );
}

const isAnswered = (request: WebRequest): boolean => finalStateOf(request) === 'fetched';
