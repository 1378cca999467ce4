import { openCrawl } from '../../api/open-crawl.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { printSummary } from './print-summary.ts';

/** `strand status DIR`: how far the crawl is, also while it runs. */
export async function status({ dir, json }: LocalCommandOf<'status'>): Promise<number> {
  await using crawl = await openCrawl(dir);
  printSummary(await crawl.summary(), { dir, json });
  return exitCodes.finished;
}
