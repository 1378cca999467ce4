/** The tables of a report. */

import type { CrawlReport, HostRow } from '../../shared/services/report/report.ts';
import { STATUS_CODES } from '../../shared/services/report/status-codes.ts';
import { accountText } from '../account-text.ts';
import { formatBytes, formatCount, formatDuration, largestFirst } from '../format.ts';
import type { Html } from './html.ts';
import { bar, table, text } from './report-parts.ts';

/** A table with a title; none where it has no rows. */
export function reportTables(report: CrawlReport): Html[] {
  const { summary, types, hosts, domains, closedGroups, closedGroupCount } = report;
  const bytes = types.reduce((sum, row) => sum + row.bytes, 0);
  return [
    countTable('Outcome of URLs', summary.byStatus, (state) => STATE_WORDS[state] ?? state),
    countTable('HTTP status', summary.httpStatus, (code) => `${code} ${STATUS_CODES[code] ?? ''}`.trim()),
    table(
      'Types',
      ['Type', 'Answers', 'Bytes', 'Share of bytes'],
      types.map((row) => [row.type, formatCount(row.count), formatBytes(row.bytes), bar(row.bytes, bytes)]),
    ),
    countTable('Links left out, by reason', summary.skipped),
    countTable('Exchanges that failed, by reason', summary.errors),
    hostTable('Hosts with most pages', hosts.byPages),
    hostTable('Hosts with most bytes', hosts.byBytes.length > 1 ? hosts.byBytes : []),
    hostTable('Slowest hosts, by mean time', hosts.slowest.length > 1 ? hosts.slowest : []),
    failureTable('Failing hosts', hosts.failing),
    failureTable(`Hosts given up${countNote(hosts.setAside.length, hosts.setAsideCount)}`, hosts.setAside),
    table(
      'Accounts',
      ['Account'],
      (report.accounts ?? []).map((one) => [text(accountText(one), 200)]),
      [0],
    ),
    table(
      'Domains with most requests for pages in this period',
      ['Domain', 'Requests', 'Budget', 'Hosts', 'Linking domains'],
      domains.map(({ domain, granted = 0, budget, hosts: opened, linkers }) => [
        text(domain),
        formatCount(granted),
        budget === undefined ? '' : formatCount(budget),
        formatCount(opened),
        linkers === undefined ? '' : formatCount(linkers),
      ]),
    ),
    table(
      'Templates tried in a browser',
      ['URLs', 'Pages', 'Rendered'],
      (report.renderedTemplates ?? []).map(({ host, template, pages, why }) => [
        text(`${host}${template}`, 100),
        formatCount(pages),
        text(why),
      ]),
      [0, 2],
    ),
    table(
      `Traps: groups of URLs that added nothing new or forbid their use${countNote(closedGroups.length, closedGroupCount)}`,
      ['Kind', 'URLs', 'Host', 'Pages'],
      closedGroups.map(({ kind, host, group, pages }) => [
        kind,
        text(group, 100),
        text(host),
        formatCount(pages),
      ]),
      [0, 1, 2],
    ),
  ].filter((made) => made !== undefined);
}

const STATE_WORDS: Readonly<Record<string, string>> = { deniedByRobots: 'denied by robots.txt' };
const MAX_ROWS = 20;

const countNote = (shown: number, all: number): string =>
  shown < all ? `: ${formatCount(shown)} of ${formatCount(all)}` : '';

function countTable(
  title: string,
  counts: Readonly<Record<string, number>>,
  word = (name: string): string => name,
): Html | undefined {
  const rows = largestFirst(counts).filter(([, count]) => count > 0);
  const total = rows.reduce((sum, [, count]) => sum + count, 0);
  const cells = rows
    .slice(0, MAX_ROWS)
    .map(([name, count]) => [text(word(name)), formatCount(count), percent(count, total), bar(count, total)]);
  return table(title, ['', 'Number', 'Share', ''], cells);
}

/** `87%`, `0.4%`; what is not all is not called all. */
function percent(part: number, whole: number): string {
  const share = (100 * part) / whole;
  if (part === whole) return '100%';
  if (share < 0.1) return '<0.1%';
  return `${share < 10 || share > 99 ? Math.min(99.9, share).toFixed(1) : Math.round(share)}%`;
}

const hostTable = (title: string, rows: readonly HostRow[]): Html | undefined =>
  table(
    title,
    ['Host', 'Pages', 'Bytes', 'Requests', 'Failed', 'Mean time', 'Longest'],
    rows.map(({ host, pages, bytes, requests, errors, meanMs, maxMs }) => [
      text(host),
      formatCount(pages),
      formatBytes(bytes),
      formatCount(requests),
      formatCount(errors),
      maxMs > 0 ? formatDuration(meanMs) : '',
      maxMs > 0 ? formatDuration(maxMs) : '',
    ]),
  );

const failureTable = (title: string, rows: readonly HostRow[]): Html | undefined =>
  table(
    title,
    ['Host', 'Failed', 'Requests', 'Last cause'],
    rows.map(({ host, errors, requests, cause = '' }) => [
      text(host),
      formatCount(errors),
      formatCount(requests),
      text(cause, 200),
    ]),
    [0, 3],
  );
