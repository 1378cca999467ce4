import { openCrawl } from '../../api/open-crawl.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { printSummary } from './print-summary.ts';

/** `strand pause DIR`, `strand stop DIR`: ends a crawl that another process runs. */
export async function pauseOrStop({
  verb,
  dir,
  json,
}: LocalCommandOf<'pause'> | LocalCommandOf<'stop'>): Promise<number> {
  await using crawl = await openCrawl(dir);
  printSummary(await (verb === 'pause' ? crawl.pause() : crawl.stop()), { dir, json });
  return exitCodes.finished;
}
