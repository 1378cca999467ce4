import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import { terminalOf } from '../drawn-line.ts';
import { summaryJson, summaryText } from '../summary.ts';

/** Writes the summary of a crawl in a folder to standard output. */
export function printSummary(
  summary: CrawlSummary,
  { dir, config, json }: { dir: string; config?: string | undefined; json: boolean },
): void {
  const { colour } = terminalOf(process.stdout, process.env);
  const text = json ? summaryJson(summary) : summaryText(summary, colour, { dir, config });
  process.stdout.write(`${text}\n`);
}
