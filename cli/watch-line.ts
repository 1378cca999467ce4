/** The live line of a stack's crawl. */
import type { CrawlSummary } from '../shared/services/report/summary.ts';
import type { Part } from './drawn-line.ts';
import { formatBytes, formatCount, formatCounted, formatDollars, formatRate, type Tone } from './format.ts';
import type { Rates } from './live-line.ts';

const STATE_TONES: Readonly<Partial<Record<CrawlSummary['state'], Tone>>> = {
  running: 'bold',
  finished: 'green',
};

/**
 * In the order shown; the rate is that of the last minute, not the summary's, which is of the whole crawl.
 */
export function watchParts(summary: CrawlSummary, { pagesPerSecond }: Rates): Part[] {
  const { state, pages, urls, byStatus, hosts, bytes, errors, cost } = summary;
  const failures = Object.values(errors).reduce((sum, count) => sum + count, 0);
  const parts: Part[] = [
    { text: state, rank: 2, tone: STATE_TONES[state] ?? 'yellow' },
    { text: formatCounted(pages, 'page'), rank: 0, tone: 'bold' },
  ];
  if (pagesPerSecond !== undefined) parts.push({ text: `${formatRate(pagesPerSecond)}/s`, rank: 1 });
  parts.push({ text: formatCounted(urls, 'URL'), rank: 7 });
  parts.push({ text: `${formatCount(byStatus.waiting)} waiting`, rank: 4 });
  parts.push({ text: formatCounted(hosts, 'host'), rank: 8 });
  parts.push({ text: formatBytes(bytes), rank: 9 });
  if (failures > 0) parts.push({ text: formatCounted(failures, 'error'), rank: 5, tone: 'yellow' });
  if (cost > 0) parts.push({ text: formatDollars(cost), rank: 3 });
  if (cost > 0 && pages > 0)
    parts.push({ text: `${formatDollars((cost / pages) * 1e6)}/M pages`, rank: 6, tone: 'dim' });
  return parts;
}
