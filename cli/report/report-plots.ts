/** The plots of a report. */
import { type CrawlReport, depthWord, LAST_DEPTH } from '../../shared/services/report/report.ts';
import { type Histogram, STEPS_PER_DECADE } from '../../shared/services/report/report-histogram.ts';
import type { Timeline } from '../../shared/services/report/report-timeline.ts';
import { formatBytes, formatCount, formatCounted, formatDuration, formatRate } from '../format.ts';
import { columnPlot } from './column-plot.ts';
import { type Html, html } from './html.ts';

/** A figure for each that there is something to show of. */
export function reportPlots({ timeline, sizes, times, depths }: CrawlReport): Html[] {
  const figures: Html[] = [];
  if (timeline && timeline.counts.length > 1) figures.push(timelineFigure(timeline));
  if (depths.length > 1) figures.push(depthFigure(depths));
  if (sizes.count > 0) figures.push(histogramFigure(sizes, SIZES));
  if (times.count > 0) figures.push(histogramFigure(times, TIMES));
  return figures;
}

const figure = (title: string, note: string, plot: Html): Html =>
  html`<figure><figcaption><b>${title}</b> ${note}</figcaption>${plot}</figure>`;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MARK_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((n) => n * DAY),
];

function timelineFigure({ startAt, intervalMs, counts }: Timeline): Html {
  const totalMs = counts.length * intervalMs;
  const step = MARK_STEPS.find((size) => totalMs / size <= 6) ?? totalMs;
  const marks = Array.from({ length: Math.floor(totalMs / step) + 1 }, (_, i) => ({
    at: (i * step) / intervalMs,
    text: i === 0 ? '0' : formatDuration(i * step),
  }));
  const plot = columnPlot({
    label: 'Fetches a second over time',
    values: counts.map((count) => count / (intervalMs / SECOND)),
    marks,
    describe: (i) =>
      `${formatDuration(i * intervalMs) || '0'}: ${formatCounted(counts[i]!, 'fetch').replace('fetchs', 'fetches')}`,
    formatValue: formatRate,
  });
  const from = new Date(startAt).toISOString().replace('T', ' ').slice(0, 19);
  return figure('Fetches a second', `since ${from} UTC, in steps of ${formatDuration(intervalMs)}`, plot);
}

function depthFigure(depths: readonly number[]): Html {
  const every = Math.ceil(depths.length / 15);
  const marks = depths
    .map((_, at) => ({ at, text: at === LAST_DEPTH ? `${at}+` : String(at) }))
    .filter(({ at }) => at % every === 0);
  const plot = columnPlot({
    label: 'Pages by depth',
    values: depths,
    marks,
    describe: (i) => `${depthWord(i)} from a seed: ${formatCounted(depths[i]!, 'page')}`,
    formatValue: formatCount,
    isCentred: true,
  });
  return figure('Depth', 'pages by hops from a seed', plot);
}

interface HistogramWords {
  readonly title: string;
  readonly note: string;
  readonly format: (value: number) => string;
  /** Steps of the histogram that a column has. */
  readonly merged: number;
}

const SIZES: HistogramWords = {
  title: 'Body sizes',
  note: 'answers by size as received, on a logarithmic scale',
  format: formatBytes,
  merged: 1,
};

const TIMES: HistogramWords = {
  title: 'Response times',
  note: 'answers by time to the last byte, on a logarithmic scale',
  format: formatDuration,
  // Times are whole milliseconds: of finer columns between 1 and 10 some could hold none.
  merged: 2,
};

/** From the decade of the smallest to that of the largest. */
function histogramFigure({ counts, belowOne }: Histogram, words: HistogramWords): Html {
  const { title, note, format, merged } = words;
  const decade = STEPS_PER_DECADE / merged;
  const all = Array.from({ length: Math.ceil(counts.length / merged) }, (_, i) =>
    counts.slice(i * merged, (i + 1) * merged).reduce((sum, count) => sum + count, 0),
  );
  const first = all.findIndex((count) => count > 0);
  const from = Math.floor(Math.max(0, first) / decade) * decade;
  const to = Math.max(from + decade, Math.ceil(all.length / decade) * decade);
  const values = Array.from({ length: to - from }, (_, i) => all[from + i] ?? 0);
  const edge = (column: number) => 10 ** (column / decade);
  const marks = [];
  for (let at = from; at <= to; at += decade) marks.push({ at: at - from, text: format(edge(at)) });
  const range = (i: number) => `${format(rough(edge(from + i)))} to ${format(rough(edge(from + i + 1)))}`;
  const plot = columnPlot({
    label: title,
    values,
    marks,
    describe: (i) => `${range(i)}: ${formatCount(values[i]!)}`,
    formatValue: formatCount,
  });
  const below = belowOne > 0 ? `; ${formatCount(belowOne)} more below ${format(1)}` : '';
  return figure(title, note + below, plot);
}

const rough = (value: number): number => Number(value.toPrecision(2));
