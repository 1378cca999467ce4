import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { openCrawl } from './summarize.ts';
import { writeRows } from './write-rows.ts';

/** `strand export DIR --format jsonl|csv`: every known URL on standard output. */
export async function exportUrls({ dir, format }: LocalCommandOf<'export'>): Promise<number> {
  const { reader, crawl } = openCrawl(dir);
  try {
    await writeRows(reader, crawl, format, process.stdout);
    return exitCodes.finished;
  } finally {
    reader.close();
  }
}
