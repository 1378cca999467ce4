/** The report for a terminal: the summary, then what it leaves out. */

import { printable, shorten } from '../../shared/core/text/printable.ts';
import type { DomainEntry } from '../../shared/services/report/domain-entry.ts';
import type { RenderedTemplate } from '../../shared/services/report/rendering-words.ts';
import { type CrawlReport, depthWord, type HostRow } from '../../shared/services/report/report.ts';
import { type Histogram, quantile } from '../../shared/services/report/report-histogram.ts';
import type { CrawlPlace } from '../command-at.ts';
import { formatBytes, formatCount, formatCounted, formatDuration, toned, wrapWords } from '../format.ts';
import { summaryText } from '../summary.ts';
import { freshnessText } from './freshness-text.ts';
import { unreadableText } from './unreadable-text.ts';

const WIDTH = 100;
const INDENT = 14;
const ROWS = 10;
const MAX_NAME = 40;

/** Lines of at most 100 characters, the last one without its end. What there is nothing of has no section. */
export function reportText(report: CrawlReport, colour: boolean, place: CrawlPlace = { dir: 'DIR' }): string {
  const { types, sizes, times, depths, hosts, closedGroups } = report;
  const facts: [label: string, lines: readonly string[]][] = [
    ['Sizes', [spreadText(sizes, formatBytes)]],
    ['Times', [spreadText(times, formatDuration)]],
    [
      'Depths',
      wrapWords(
        depths.map((count, depth) => `${depthWord(depth)}: ${formatCount(count)}`),
        WIDTH - INDENT,
        ', ',
      ),
    ],
    ['Duplicates', [duplicatesText(report), nearText(report)]],
    ['Not pages', [kindsText(report)]],
  ];
  const lines = [
    ...unreadableLines(report, colour),
    summaryText(report.summary, colour, place, report.accounts),
  ];
  for (const [label, texts] of facts)
    for (const [i, text] of texts.entries())
      if (text !== '')
        lines.push(toned((i === 0 ? `  ${label}` : '').padEnd(INDENT), 'dim', colour && i === 0) + text);
  const tables: [title: string, rows: readonly (readonly string[])[]][] = [
    [
      'Types',
      types.slice(0, ROWS).map(({ type, count, bytes }) => [type, formatCount(count), formatBytes(bytes)]),
    ],
    ['Hosts with most pages', hosts.byPages.slice(0, ROWS).map(hostCells)],
    ['Slowest hosts', hosts.slowest.slice(0, ROWS).map(hostCells)],
    ['Failing hosts', hosts.failing.slice(0, ROWS).map(failureCells)],
    ['Hosts given up', hosts.setAside.slice(0, ROWS).map(failureCells)],
    ['Domains with most requests for pages in this period', report.domains.slice(0, ROWS).map(domainCells)],
    ['Pages with most copies', (report.nearDuplicates?.largest ?? []).slice(0, ROWS).map(copyCells)],
    ['Templates tried in a browser', (report.renderedTemplates ?? []).slice(0, ROWS).map(templateCells)],
    [
      'Traps: groups of URLs that added nothing new or forbid their use',
      closedGroups.slice(0, ROWS).map(groupCells),
    ],
  ];
  for (const [title, rows] of tables)
    if (rows.length > 0) lines.push('', toned(title, 'bold', colour), ...aligned(rows));
  if (report.freshness) lines.push('', ...freshnessText(report.freshness, colour));
  return lines.join('\n');
}

/** The first line of a report that lacks URLs: how many, and of which hosts. */
function unreadableLines({ unreadable }: CrawlReport, colour: boolean): string[] {
  if (!unreadable) return [];
  const text = unreadableText(unreadable);
  return [toned(shorten(text, WIDTH), 'red', colour)];
}

/** `half up to 8.2 kB, 90% up to 31 kB, 99% up to 120 kB, the largest 1.2 MB`. */
function spreadText(histogram: Histogram, format: (value: number) => string): string {
  if (histogram.count === 0) return '';
  const shares = [0.5, 0.9, 0.99].map(
    (q) => `${100 * q}% up to ${format(twoDigits(quantile(histogram, q)))}`,
  );
  return [...shares, `at most ${format(histogram.max)}`].join(', ');
}

/** A figure that is known to a quarter of its value is not printed with three digits. */
const twoDigits = (value: number): number => Number(value.toPrecision(2));

function duplicatesText({ duplicates: { pages, of, isEstimate } }: CrawlReport): string {
  if (pages === 0) return '';
  return `${isEstimate ? 'about ' : ''}${formatCount(pages)} of ${formatCount(of)} have the bytes of another page`;
}

const nearText = ({ nearDuplicates }: CrawlReport): string =>
  nearDuplicates ? `${formatCount(nearDuplicates.pages)} have nearly the same text as another page` : '';

function kindsText({ requisites, sitemaps }: CrawlReport): string {
  const texts = [
    ...(requisites > 0 ? [`${formatCount(requisites)} requisites of pages`] : []),
    ...(sitemaps > 0 ? [`${formatCount(sitemaps)} sitemaps`] : []),
  ];
  return texts.join(', ');
}

function hostCells({ host, pages, bytes, meanMs, maxMs }: HostRow): string[] {
  const times = maxMs > 0 ? [`${formatDuration(meanMs)} mean`, `${formatDuration(maxMs)} at most`] : ['', ''];
  return [host, `${formatCount(pages)} pages`, formatBytes(bytes), ...times];
}

const failureCells = ({ host, errors, requests, cause = '' }: HostRow): string[] => [
  host,
  `${formatCount(errors)} of ${formatCount(requests)} failed`,
  cause,
];

const copyCells = ({ url, copies }: { readonly url: string; readonly copies: number }): string[] => [
  url,
  `${formatCount(copies)} with nearly the same text`,
];

const groupCells = ({ host, group, pages }: CrawlReport['closedGroups'][number]): string[] => [
  host,
  `${formatCount(pages)} pages`,
  group,
];

const templateCells = ({ host, template, pages, why }: RenderedTemplate): string[] => [
  `${host}${template}`,
  `${formatCount(pages)} pages`,
  why,
];

function domainCells({ domain, granted = 0, budget, hosts, linkers }: DomainEntry): string[] {
  const used = budget === undefined ? '' : `${formatCount(granted)} of ${formatCount(budget)}`;
  const links = linkers === undefined ? [] : [`${formatCounted(linkers, 'domain')} linking`];
  return [domain, used, formatCounted(hosts, 'host'), ...links];
}

/** Columns: the first to the left, those after it to the right; a third one of words as it is. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) =>
    row.map((cell, i) => (i === 0 ? shorten(printable(cell), MAX_NAME) : printable(cell))),
  );
  const widths = cells[0]!.map((_, i) => Math.max(...cells.map((row) => row[i]!.length)));
  const isWords = (i: number) => i === 0 || !rows.some((row) => /^[\d$]/.test(row[i]!));
  return cells.map((row) => {
    const padded = row.map((cell, i) => (isWords(i) ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)));
    return shorten(`  ${padded.join('  ')}`.trimEnd(), WIDTH);
  });
}
