import { openCrawl } from '../../api/open-crawl.ts';
import type { LocalCommandOf } from '../command.ts';
import { terminalOf } from '../drawn-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { summaryJson, summaryText } from '../summary.ts';

/** `strand status DIR`: how far the crawl is, also while it runs. */
export async function status({ dir, json }: LocalCommandOf<'status'>): Promise<number> {
  await using crawl = await openCrawl(dir);
  const summary = await crawl.summary();
  const text = json
    ? summaryJson(summary)
    : summaryText(summary, terminalOf(process.stdout, process.env).colour, { dir });
  process.stdout.write(`${text}\n`);
  return exitCodes.finished;
}
