import { listCrawls } from '../../api/open-crawl.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { PROGRAM } from '../program.ts';
import { crawlsText } from '../stack-text.ts';

/** `strand list [FOLDER]`: the crawls in a folder, `crawls` by default, and in the folders directly in it. */
export async function list({ folder, json }: LocalCommandOf<'list'>): Promise<number> {
  const crawls = await listCrawls(folder);
  const named = crawls.map((entry) => ({ ...entry, crawl: entry.folder }));
  const text = json ? JSON.stringify({ crawls }) : crawlsText(named, `${PROGRAM} crawl SEED...`);
  process.stdout.write(`${text}\n`);
  return exitCodes.finished;
}
