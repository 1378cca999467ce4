/** How fresh the copies of a crawl are, as a part of the report's page. */

import { printable, shorten } from '../../shared/core/text/printable.ts';
import type { Band, FreshnessReport } from '../../shared/services/report/report-freshness.ts';
import { formatCount } from '../format.ts';
import { columnPlot } from './column-plot.ts';
import { bandText, edgeText, freshnessFigures, rateText, shareText } from './freshness-words.ts';
import { type Html, html } from './html.ts';
import { bar, table, text } from './report-parts.ts';

/** A list of figures, two or three plots, and tables. */
export function freshnessHtml(report: FreshnessReport): Html {
  const { sinceFetch, betweenChanges } = report;
  const figures = freshnessFigures(report).map(
    ([label, value, note]) =>
      html`<div><dt>${label}</dt><dd>${value}</dd><small>${shorten(printable(note), 80)}</small></div>\n`,
  );
  return html`<h2>Freshness</h2>
<dl>${figures}</dl>
<div class="plots">${[
    pagesFigure('Copies by age', 'pages by the time since their last fetch', sinceFetch),
    shareFigure('Up to date', 'estimated share of the pages, by the time since their last fetch', sinceFetch),
    pagesFigure('Changes', 'pages by the estimated time between two changes', betweenChanges),
  ]}</div>
<div class="tables">${tables(report)}</div>`;
}

const figure = (title: string, note: string, plot: Html): Html =>
  html`<figure><figcaption><b>${title}</b> ${note}</figcaption>${plot}</figure>`;

const marksOf = (bands: readonly Band[]) => bands.map((band, at) => ({ at, text: edgeText(band) }));

function pagesFigure(title: string, note: string, bands: readonly Band[]): Html {
  const plot = columnPlot({
    label: title,
    values: bands.map(({ pages }) => pages),
    marks: marksOf(bands),
    describe: (at) => `${bandText(bands, at)}: ${formatCount(bands[at]?.pages ?? 0)} pages`,
    formatValue: formatCount,
    isCentred: true,
  });
  return figure(title, note, plot);
}

function shareFigure(title: string, note: string, bands: readonly Band[]): Html {
  const shares = bands.map(({ pages, freshPages }) => (pages > 0 ? freshPages / pages : 0));
  const plot = columnPlot({
    label: title,
    values: shares.map((share) => 100 * share),
    marks: marksOf(bands),
    describe: (at) =>
      `${bandText(bands, at)}: ${shareText(shares[at] ?? 0)} of ${formatCount(bands[at]?.pages ?? 0)} pages`,
    formatValue: (value) => `${value}%`,
    isCentred: true,
  });
  return figure(title, note, plot);
}

function tables({ templates, hints }: FreshnessReport): Html[] {
  return [
    table(
      'Templates with the most changes',
      ['URLs', 'Host', 'Pages', 'Changes a day', 'Changes seen', 'Up to date', ''],
      templates.map(({ host, template, pages, changesPerDay, seenChanges, freshShare }) => [
        text(template, 100),
        text(host),
        formatCount(pages),
        rateText(changesPerDay),
        formatCount(seenChanges),
        shareText(freshShare),
        bar(freshShare, 1),
      ]),
      [0, 1],
    ),
    table(
      'Hints that pages have changed (lastmod of sitemaps, dates of feeds)',
      ['Host', 'Fetches with a hint', 'Precision', 'Recall'],
      hints.map(({ host, hintedFetches, precision, recall }) => [
        text(host),
        formatCount(hintedFetches),
        shareText(precision),
        shareText(recall),
      ]),
    ),
  ].filter((made) => made !== undefined);
}
