import type { CrawlSummary } from '../../shared/report/summary.ts';
import { terminalOf } from '../drawn-line.ts';
import { summaryJson, summaryText } from '../summary.ts';

/** Writes the summary of a crawl in a folder to standard output. */
export function printSummary(summary: CrawlSummary, { dir, json }: { dir: string; json: boolean }): void {
  const { colour } = terminalOf(process.stdout, process.env);
  process.stdout.write(`${json ? summaryJson(summary) : summaryText(summary, colour, { dir })}\n`);
}
