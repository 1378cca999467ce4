/** The report as one page that needs nothing else: no script, no font, no picture from anywhere. */

import { version } from '../../shared/core/base/version.ts';
import { printable, shorten } from '../../shared/core/text/printable.ts';
import type { CrawlReport } from '../../shared/services/report/report.ts';
import { quantile } from '../../shared/services/report/report-histogram.ts';
import { formatBytes, formatCount, formatDuration, formatRate } from '../format.ts';
import { troubledHeading } from '../summary-trouble.ts';
import { freshnessHtml } from './freshness-html.ts';
import { NO_FRESHNESS } from './freshness-words.ts';
import { type Html, html } from './html.ts';
import { reportPlots } from './report-plots.ts';
import { REPORT_STYLE } from './report-style.ts';
import { reportTables } from './report-tables.ts';
import { unreadableText } from './unreadable-text.ts';

/**
 * Names and causes from the web are escaped, and could not load or run anything if they were not: see the
 * policy. `onlyFreshness`: how fresh the copies are, and nothing else.
 */
export function reportHtml(report: CrawlReport, onlyFreshness = false): string {
  const { summary, madeAt, freshness, unreadable } = report;
  const name = shorten(printable(summary.crawl), 80);
  const reason = summary.reason ? `: ${shorten(printable(summary.reason), 200)}` : '';
  const outcome = troubledHeading(summary);
  const made = new Date(madeAt).toISOString().replace('T', ' ').slice(0, 16);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Crawl of ${name}</title>
<style>${{ html: REPORT_STYLE }}</style>
</head>
<body>
<header><h1>Crawl of ${name}</h1>
<p><b class="state ${outcome?.[1] ?? summary.state}">${outcome?.[0] ?? summary.state}</b>${reason}</p>
${unreadable && html`<p><b>${unreadableText(unreadable)}</b></p>`}</header>
${
  onlyFreshness
    ? undefined
    : html`<dl>${keyFigures(report)}</dl>
<div class="plots">${reportPlots(report)}</div>
<div class="tables">${reportTables(report)}</div>`
}
${freshness ? freshnessHtml(freshness) : onlyFreshness ? html`<p>${NO_FRESHNESS}</p>` : undefined}
<footer>Made ${made} UTC by Strand ${version}.</footer>
</body>
</html>
`;
  return page.html;
}

function keyFigures(report: CrawlReport): Html[] {
  const { summary, times, requisites, sitemaps, hosts } = report;
  const { pages, urls, hosts: hostCount, bytes, seconds, rate, cost } = summary;
  const figures: [name: string, value: string, note?: string][] = [
    ['pages', formatCount(pages), duplicatesNote(report)],
    [
      'URLs known',
      formatCount(urls),
      summary.byStatus.waiting > 0 ? `${formatCount(summary.byStatus.waiting)} wait` : '',
    ],
    [
      hostCount === 1 ? 'host' : 'hosts',
      formatCount(hostCount),
      hosts.setAsideCount > 0 ? `${formatCount(hosts.setAsideCount)} given up` : '',
    ],
    ['received', formatBytes(bytes)],
    ['of crawling', formatDuration(seconds * 1000)],
    ['pages a second', formatRate(rate)],
  ];
  if (times.count > 0)
    figures.push(['median time', formatDuration(Number(quantile(times, 0.5).toPrecision(2)))]);
  const { hit = 0, miss = 0, unreadable = 0 } = summary.cache;
  if (hit > 0)
    figures.push(['from the cache', formatCount(hit), `${formatCount(miss + unreadable)} fetched`]);
  const { urls: overBudget = 0 } = summary.overBudget;
  if (overBudget > 0)
    figures.push(['over budget', formatCount(overBudget), 'wait for the next budget of their domain']);
  const { urls: atFullHosts = 0 } = summary.full;
  if (atFullHosts > 0)
    figures.push(['at full hosts', formatCount(atFullHosts), 'wait beyond maxPagesPerHost']);
  if (requisites > 0) figures.push(['requisites', formatCount(requisites)]);
  if (sitemaps > 0) figures.push(['sitemaps', formatCount(sitemaps)]);
  if (cost > 0) figures.push(['at list price', `$${cost.toFixed(2)}`]);
  return figures.map(([label, value, note]) => {
    const small = note ? html`<small>${note}</small>` : undefined;
    return html`<div><dt>${label}</dt><dd>${value}</dd>${small}</div>\n`;
  });
}

function duplicatesNote({ duplicates: { pages, isEstimate } }: CrawlReport): string {
  return pages > 0 ? `${isEstimate ? 'about ' : ''}${formatCount(pages)} of them copies` : '';
}
