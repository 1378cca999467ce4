/** Text about a stack's crawls and hosts, for people. */

import { printable, shorten } from '../shared/core/text/printable.ts';
import type {
  AddedSeeds,
  CrawlEntry,
  DomainPage,
  HostDetail,
  HostEntry,
  HostPage,
} from '../shared/services/control/control.ts';
import type { CrawlSummary } from '../shared/services/report/summary.ts';
import { type CrawlPlace, commandAt, shellWord } from './command-at.ts';
import { formatBytes, formatCount, formatCounted, largestFirst } from './format.ts';

const MAX_REFUSED = 20;
const MAX_NAME = 60;
const MAX_CAUSE = 60;

/** The outcome of added seeds. */
export function addedText({ crawl, added, refused }: AddedSeeds): string {
  const shown = refused.slice(0, MAX_REFUSED).map(({ url, reason }) => {
    return `  left out: ${shorten(printable(url), 200)}: ${printable(reason)}`;
  });
  const more = refused.length - shown.length;
  return [
    `${formatCounted(added, 'seed')} on the way to ${crawl}`,
    ...shown,
    ...(more > 0 ? [`  and ${formatCount(more)} more left out`] : []),
  ].join('\n');
}

/** `interrupted`: of a folder in which no process crawls. `unreadable`: of a folder whose database is damaged. */
export type ListedCrawl = Omit<CrawlEntry, 'state'> & {
  readonly state: CrawlSummary['state'] | 'sleeping' | 'unreadable';
};

/** A line for each crawl. */
export function crawlsText(crawls: readonly ListedCrawl[], beginWith: string): string {
  if (crawls.length === 0) return `No crawls yet. Begin one with: ${beginWith}`;
  const rows = crawls.map(({ crawl, state, pages, reason }) => [
    crawl,
    state,
    formatCount(pages),
    shorten(printable(reason ?? ''), MAX_CAUSE),
  ]);
  return table(['CRAWL', 'STATE', 'PAGES', ''], rows, [2]);
}

/** A line for each host of the page, and how to ask for the next page. */
export function hostsText({ hosts, cursor }: HostPage, place: CrawlPlace, limit?: number): string {
  if (hosts.length === 0) return 'No hosts';
  const rows = hosts.map((host) => [
    shorten(printable(host.host), MAX_NAME),
    formatCount(host.pages),
    formatCount(host.known),
    formatCount(host.waiting),
    formatBytes(host.bytes),
    shorten(conditionOf(host), MAX_CAUSE),
  ]);
  const lines = [table(['HOST', 'PAGES', 'KNOWN', 'WAITING', 'BYTES', ''], rows, [1, 2, 3, 4])];
  return [...lines, ...moreText(cursor, place, limit)].join('\n');
}

/** The command for the next page, if there is one. */
function moreText(
  cursor: string | undefined,
  place: CrawlPlace,
  limit: number | undefined,
  ...options: string[]
): string[] {
  if (cursor === undefined) return [];
  const size = limit === undefined ? [] : ['--limit', String(limit)];
  return [`More: ${commandAt(place, 'hosts', ...options, ...size, '--cursor', shellWord(cursor))}`];
}

/** `granted`: requests for pages in this period. */
export function domainsText(
  { domains, medianLinkers, cursor }: DomainPage,
  place: CrawlPlace,
  limit?: number,
): string {
  const more = moreText(cursor, place, limit, '--domains');
  if (domains.length === 0)
    return ['No domains: a crawl has them if it limits their pages or hosts', ...more].join('\n');
  const hasLinks = domains.some(({ linkers }) => linkers !== undefined);
  const rows = domains.map(({ domain, granted = 0, budget, hosts, maxHosts, linkers }) => [
    shorten(printable(domain), MAX_NAME),
    budget === undefined ? '' : formatCount(granted),
    budget === undefined ? 'off' : formatCount(budget),
    formatCount(hosts),
    maxHosts === undefined ? 'off' : formatCount(maxHosts),
    ...(hasLinks ? [linkers === undefined ? '' : formatCount(linkers)] : []),
  ]);
  const heads = ['DOMAIN', 'REQUESTED', 'BUDGET', 'HOSTS', 'LIMIT', ...(hasLinks ? ['LINKING'] : [])];
  return [
    table(heads, rows, [1, 2, 3, 4, 5].slice(0, heads.length - 1)),
    ...(hasLinks ? [`${formatCounted(medianLinkers, 'domain')} linking to the median domain`] : []),
    ...more,
  ].join('\n');
}

/** All that is known of a host: a line for each thing. */
export function hostText(host: HostDetail): string {
  const facts: [label: string, fact: string | undefined][] = [
    ['State', conditionOf(host) || undefined],
    ['URLs', `${formatCount(host.known)} known, ${formatCount(host.waiting)} waiting`],
    ['Pages', `${formatCount(host.pages)}, ${formatCounted(host.requests, 'request')}`],
    ['Bytes', formatBytes(host.bytes)],
    ['Became', countsText(host.byStatus)],
    ['HTTP', countsText(host.httpStatus, (code, count) => `${code}: ${count}`)],
    ['Skipped', countsText(host.skipped)],
    ['Errors', countsText(host.errors)],
    ['Next', host.nextFetchAt],
    ['Due', host.dueAt],
    ['Waits', host.waitsFor && `for ${host.waitsFor}`],
    ...host.robots.map(({ origin, kind, expiresAt }): [string, string] => {
      return ['Robots', `${origin}: ${kind}, until ${expiresAt}`];
    }),
  ];
  const lines = facts.flatMap(([label, fact]) => (fact ? [`  ${label.padEnd(9)}${printable(fact)}`] : []));
  return [printable(host.host), ...lines].join('\n');
}

/** Why the host is not simply crawled; empty where it is. */
function conditionOf({ setAside, refused, failures, cause }: HostEntry): string {
  if (setAside !== undefined) return `given up: ${printable(setAside)}`;
  if (refused !== undefined) return printable(refused);
  return failures > 0 ? `${formatCounted(failures, 'failure')}${cause ? `: ${printable(cause)}` : ''}` : '';
}

function countsText(
  counts: Readonly<Record<string, number>>,
  write = (name: string, count: string): string => `${count} ${name}`,
): string | undefined {
  const present = largestFirst(counts).filter(([, count]) => count > 0);
  return present.map(([name, count]) => write(name, formatCount(count))).join(', ') || undefined;
}

/** Columns as wide as their widest cell, those of `numbers` to the right; nothing at the ends of lines. */
function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: readonly number[],
): string {
  const all = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const lines = all.map((row) =>
    row
      .map((cell, i) => (numbers.includes(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd(),
  );
  return lines.join('\n');
}
