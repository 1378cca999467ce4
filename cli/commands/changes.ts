import { openCrawl } from '../../api/open-crawl.ts';
import type { StoredCrawl } from '../../api/stored-crawl.ts';
import type { LocalCommandOf } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { gathered } from './gathered.ts';
import { type RowStream, writerTo } from './write-rows.ts';

/** `strand changes DIR`: a line of JSON for each page that has changed since a time. */
export async function changes({ dir, since }: LocalCommandOf<'changes'>): Promise<ExitCode> {
  await using crawl = await openCrawl(dir);
  await writeChanges(crawl, since, process.stdout);
  return exitCodes.finished;
}

const SINCE_BEGIN =
  'strand: since the crawl began, so pages that have changed later are new, too; --since TIME counts from then\n';

/** The same of an open crawl. */
export async function writeChanges(
  crawl: Pick<StoredCrawl, 'changes'>,
  since: Date | undefined,
  out: RowStream,
): Promise<void> {
  if (since === undefined) process.stderr.write(SINCE_BEGIN);
  const write = writerTo(out);
  for await (const text of gathered(crawl.changes(since), (change) => `${JSON.stringify(change)}\n`))
    await write(text);
}
