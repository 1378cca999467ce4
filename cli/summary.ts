/** The summary of a crawl: as text at the end and for `status`, and as one line of JSON. */

import type { AccountReport } from '../shared/core/access/account-report.ts';
import { URL_STATES, type UrlState } from '../shared/core/frontier/url-record.ts';
import { printable, shorten } from '../shared/core/text/printable.ts';
import type { LineItem } from '../shared/engines/aws/cost/prices.ts';
import {
  isAtMaxCost,
  isRefusedEverywhere,
  isUpToDate,
  isWithoutProxy,
  isWithoutSeed,
} from '../shared/services/report/crawl-outcome.ts';
import { type CrawlSummary, orderedSummary } from '../shared/services/report/summary.ts';
import { accountText } from './account-text.ts';
import { type CrawlPlace, commandAt } from './command-at.ts';
import {
  formatBytes,
  formatCount,
  formatCounted,
  formatDollars,
  formatDuration,
  formatRate,
  largestFirst,
  type Tone,
  toned,
  wrapWords,
} from './format.ts';
import { siteCountTexts } from './site-text.ts';
import { lossesText } from './summary-losses.ts';
import { troubledHeading, troubleSections } from './summary-trouble.ts';

/**
 * A line, without its end, of exactly the keys of {@link CrawlSummary} in its order. Scripts rely on them.
 */
export const summaryJson = (summary: CrawlSummary): string => JSON.stringify(orderedSummary(summary));

const WIDTH = 100;
const INDENT = 14;
const MAX_COUNTS = 12;
const MAX_FILES = 3;
const MAX_COST_ITEMS = 4;
const MAX_ACCOUNT = 300;

const HEADINGS: Readonly<Record<CrawlSummary['state'], readonly [string, Tone]>> = {
  finished: ['Finished', 'green'],
  limited: ['Limit reached', 'yellow'],
  interrupted: ['Interrupted', 'yellow'],
  running: ['Running', 'bold'],
  stopped: ['Stopped', 'yellow'],
  paused: ['Paused', 'yellow'],
};

/** Nobody has interrupted a crawl that seeds were added to after it had finished. */
function headingOf(summary: CrawlSummary): readonly [string, Tone] {
  const { state, reasonCode } = summary;
  if (state === 'interrupted' && reasonCode === 'seedsAdded') return ['Waiting to be resumed', 'yellow'];
  if (isUpToDate(summary))
    return summary.losses.hostsRefused ? ['Waiting to be resumed', 'red'] : ['Up to date', 'green'];
  return troubledHeading(summary) ?? HEADINGS[state];
}

const ITEM_WORDS: Readonly<Record<LineItem, string>> = {
  sqsFifoRequests: 'SQS FIFO',
  sqsStandardRequests: 'SQS standard',
  dynamoWriteUnits: 'DynamoDB writes',
  dynamoReadUnits: 'DynamoDB reads',
  s3Puts: 'S3 writes',
  s3Gets: 'S3 reads',
  lambdaRequests: 'Lambda calls',
  lambdaMbMs: 'Lambda time',
  dataOutBytes: 'data out',
};

const STATUS_WORDS: Readonly<Partial<Record<UrlState, string>>> = { deniedByRobots: 'denied by robots' };

/**
 * Lines of at most 100 characters, the last one without its end. What is zero or empty has no line. `place`
 * is where the crawl is kept, to name the command that continues with it; a crawl of a stack is named by its
 * name, too. `accounts`: those that it has used.
 */
export function summaryText(
  summary: CrawlSummary,
  colour: boolean,
  place: CrawlPlace = { dir: 'DIR' },
  accounts: readonly AccountReport[] = [],
): string {
  const lines = headingLines(summary, colour);
  for (const [label, texts] of sections(summary, place, accounts)) {
    for (const [i, text] of texts.entries()) {
      lines.push(toned((i === 0 ? `  ${label}` : '').padEnd(INDENT), 'dim', colour && i === 0) + text);
    }
  }
  return lines.join('\n');
}

/** The outcome. What was lost stands beside it. */
function headingLines(summary: CrawlSummary, colour: boolean): string[] {
  const [word, tone] = headingOf(summary);
  const reason = summary.reason ? `: ${shorten(printable(summary.reason), WIDTH - 20)}` : '';
  const isNothing = isWithoutSeed(summary) || isRefusedEverywhere(summary);
  const lost = isOver(summary) && !isNothing ? lossesText(summary.losses) : undefined;
  if (lost === undefined) return [toned(word, tone, colour) + reason];
  const joins = word === 'Finished' && reason === '' ? ', but' : ';';
  const text = wrapWords(`${word}${reason}${joins} ${lost}`.split(' '), WIDTH - 2);
  return text.map((line, i) => toned(`${i === 0 ? '' : '  '}${line}`, tone, colour));
}

/** Whether nothing more happens by itself. */
const isOver = (summary: CrawlSummary): boolean =>
  summary.state === 'finished' || summary.state === 'limited' || isAtMaxCost(summary) || isUpToDate(summary);

function sections(
  summary: CrawlSummary,
  place: CrawlPlace,
  accounts: readonly AccountReport[],
): [label: string, lines: readonly string[]][] {
  const { pages, seconds, byStatus, skipped, errors, warcFiles, hooks } = summary;
  const rate = seconds > 0 ? `, ${formatRate(pages / seconds)} a second` : '';
  const byStatusCounts = URL_STATES.map(
    (status) => [STATUS_WORDS[status] ?? status, byStatus[status]] as const,
  );
  return [
    ['Crawl', 'stack' in place ? [shorten(printable(summary.crawl), WIDTH - INDENT)] : []],
    ['Pages', [`${formatCount(pages)} in ${formatDuration(seconds * 1000)}${rate}`]],
    ['Requisites', requisiteLines(summary)],
    ['URLs', wrapItems([`${formatCount(summary.urls)} known`, ...countTexts(byStatusCounts)])],
    ['Hosts', [formatCount(summary.hosts)]],
    ['Sites', summary.sites.count === undefined ? [] : wrapItems(siteCountTexts(summary.sites))],
    ['Bytes', [formatBytes(summary.bytes)]],
    ['Rendered', renderLines(summary)],
    ['Cache', cacheLines(summary)],
    ['Recrawl', recrawlLines(summary)],
    ['Over budget', overBudgetLines(summary)],
    ['Full hosts', fullLines(summary)],
    ['HTTP', httpLines(summary)],
    ['Skipped', wrapItems(countTexts(largestFirst(skipped)))],
    ['Errors', wrapItems(countTexts(largestFirst(errors)))],
    ['Accounts', accounts.flatMap(accountLines)],
    ...troubleSections(summary, WIDTH - INDENT),
    ['Items', itemLines(hooks)],
    ['WARC files', fileLines(warcFiles)],
    ['Cost', costLines(summary)],
    ['Next', nextLines(summary, place)],
  ];
}

function itemLines({ pages = 0, failed = 0, items = 0 }: CrawlSummary['hooks']): string[] {
  if (items > 0) return [formatCount(items)];
  return pages > failed
    ? [`none: hooks were called for ${formatCounted(pages, 'page')} and returned nothing`]
    : [];
}

function accountLines(account: AccountReport): string[] {
  const words = shorten(accountText(account), MAX_ACCOUNT).split(' ');
  return wrapWords(words, WIDTH - INDENT - 2).map((line, i) => (i === 0 ? line : `  ${line}`));
}

/** All responses: more than pages, with those to robots.txt, sitemaps, requisites, and tries that were repeated. */
function httpLines({ httpStatus }: CrawlSummary): string[] {
  const counts = countTexts(largestFirst(httpStatus), (code, n) => `${code}: ${n}`);
  return counts.length > 0 ? wrapItems([...counts, 'with robots.txt and sitemaps']) : [];
}

/** Requisites that wait at a crawl's end were not fetched, and pages may lack them. */
function requisiteLines({ requisites: { fetched = 0, waiting = 0 } }: CrawlSummary): string[] {
  if (fetched === 0 && waiting === 0) return [];
  return [`${formatCount(fetched)} fetched${waiting > 0 ? `, ${formatCount(waiting)} waiting` : ''}`];
}

function renderLines({
  render: { pages = 0, trials = 0, failed = 0, requests = 0 },
}: CrawlSummary): string[] {
  if (pages + trials + failed === 0) return [];
  return wrapItems([
    formatCounted(pages, 'page'),
    ...countTexts([
      [trials === 1 ? 'trial' : 'trials', trials],
      ['could not be rendered', failed],
      [requests === 1 ? 'request of theirs' : 'requests of theirs', requests],
    ]),
  ]);
}

/** Responses, with those of robots.txt and redirects. */
function cacheLines({ cache: { hit = 0, miss = 0, unreadable = 0 } }: CrawlSummary): string[] {
  const fetched = miss + unreadable;
  if (hit + fetched === 0) return [];
  const damaged =
    unreadable > 0 ? [`${formatCount(unreadable)} of them because their record cannot be read`] : [];
  return wrapItems([`${formatCount(hit)} from the cache`, `${formatCount(fetched)} fetched`, ...damaged]);
}

/** Fetches of known pages. */
function recrawlLines({
  recrawl: { changed = 0, unchanged = 0, notModified = 0, gone = 0, failed = 0, late = 0 },
  firstPassAt,
}: CrawlSummary) {
  const firstPass =
    firstPassAt === undefined
      ? []
      : [`first pass complete at ${firstPassAt.slice(0, 16).replace('T', ' ')} UTC`];
  const counts = [
    ['changed', changed],
    ['the same', unchanged + notModified],
    ['gone', gone],
    ['failed', failed],
  ] as const;
  const fetched = changed + unchanged + notModified + gone + failed;
  if (fetched === 0) return firstPass;
  return wrapItems([
    ...firstPass,
    `${formatCount(fetched)} pages fetched again`,
    ...countTexts(counts),
    ...(late > 0 ? [`${formatCount(late)} skipped a time of the schedule`] : []),
  ]);
}

function overBudgetLines({ overBudget: { urls = 0, hosts = 0 } }: CrawlSummary): string[] {
  if (urls === 0) return [];
  return wrapItems([
    `${formatCounted(urls, 'URL')} of ${formatCounted(hosts, 'host')} waiting for the next budget of their domain (--domain-budget)`,
  ]);
}

function fullLines({ full: { urls = 0, hosts = 0 } }: CrawlSummary): string[] {
  if (urls === 0) return [];
  const had = hosts === 1 ? 'has had its' : 'have had their';
  return [
    `${formatCounted(urls, 'URL')} waiting at ${formatCounted(hosts, 'host')} that ${had} share of pages:`,
    'resume with a higher --max-pages-per-host',
  ];
}

/** The counts that are not zero, the first twelve of them; the others as one. */
function countTexts(
  counts: readonly (readonly [name: string, count: number])[],
  write = (name: string, count: string): string => `${count} ${name}`,
): string[] {
  const present = counts.filter(([, count]) => count > 0);
  const shown = present.slice(0, MAX_COUNTS);
  const others = present.slice(MAX_COUNTS).reduce((sum, [, count]) => sum + count, 0);
  if (others > 0) shown.push(['other', others]);
  return shown.map(([name, count]) => write(shorten(printable(name), 40), formatCount(count)));
}

function wrapItems(items: readonly string[]): string[] {
  return wrapWords(
    items.map((item, i) => (i < items.length - 1 ? `${item},` : item)),
    WIDTH - INDENT,
  );
}

function fileLines(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, MAX_FILES).map((name) => shorten(printable(name), WIDTH - INDENT - 20));
  const more = names.length - shown.length;
  return wrapItems([
    formatCount(names.length),
    ...shown,
    ...(more > 0 ? [`and ${formatCount(more)} more`] : []),
  ]);
}

/** At list price, with the largest items of it; that of a million pages is what crawls are compared by. */
function costLines({ cost, costByItem, costIsEstimated, pages }: CrawlSummary): string[] {
  if (cost <= 0) return [];
  const perMillion = pages > 0 ? `${formatDollars((cost / pages) * 1e6)} for a million pages` : undefined;
  const items = largestFirst(costByItem).filter(([, dollars]) => dollars > 0);
  const shown = items.slice(0, MAX_COST_ITEMS);
  const others = items.slice(MAX_COST_ITEMS).reduce((sum, [, dollars]) => sum + dollars, 0);
  if (others > 0) shown.push(['other', others]);
  const texts = shown.map(([name, dollars]) => `${itemWord(name)} ${formatDollars(dollars)}`);
  const total = `${formatDollars(cost)}${costIsEstimated ? ' (estimated: at most, by the prices of the region)' : ''}`;
  return wrapItems([total, ...(perMillion ? [perMillion] : []), ...texts]);
}

const itemWord = (name: string): string =>
  Object.hasOwn(ITEM_WORDS, name) ? ITEM_WORDS[name as LineItem] : shorten(printable(name), 40);

function nextLines(summary: CrawlSummary, place: CrawlPlace): string[] {
  const { state } = summary;
  // Longer lines than the others, if need be: a command must survive being copied.
  const resume = commandAt(place, 'resume');
  const isOnStack = 'stack' in place;
  if (state === 'running')
    return isOnStack ? [`watch it with: ${commandAt(place, 'status', '--watch')}`] : [];
  if (state === 'limited') {
    const limits = isOnStack
      ? '--max-pages, --max-bytes, --max-time or --max-cost'
      : '--max-pages, --max-bytes or --max-time';
    return [`continue with a higher ${limits}:`, resume];
  }
  if (isAtMaxCost(summary)) return ['continue with a higher --max-cost:', resume];
  if (summary.state === 'paused' && summary.reasonCode === 'maxCostPerDay')
    return [`if it should not go on by itself: ${commandAt(place, 'pause')}`];
  if (isWithoutProxy(summary)) return ['when the proxy works again, continue with:', resume];
  if (state !== 'finished') return [`resume with: ${resume}`];
  const { hostsGivenUp = 0, hostsRefused = 0 } = summary.losses;
  const which = hostsRefused > 0 ? 'that refuse, and that were given up,' : 'that were given up';
  const again = hostsGivenUp + hostsRefused > 0 ? [`try the hosts ${which} again:`, resume] : [];
  if (!isWithoutSeed(summary)) return again;
  return ['ask what happened to a URL:', commandAt(place, 'url', 'URL'), ...again];
}
