import type { CrawlSummary } from '../../shared/control/summary.ts';
import { summaryOf } from '../../shared/control/summary-of.ts';
import { listWarcFiles } from '../../shared/engines/local/archive.ts';
import { foldersOf, type LocalReader, openLocalReader } from '../../shared/engines/local/engine.ts';
import type { CrawlId } from '../../shared/ports.ts';
import { UsageError } from '../usage-error.ts';

/** The crawl of a folder, opened for reading. Throws `UsageError` where there is none. */
export function openCrawl(folder: string): { reader: LocalReader; crawl: CrawlId } {
  const reader = openLocalReader(folder);
  const crawl = reader?.crawl();
  if (!reader || crawl === undefined) throw new UsageError(`There is no crawl in ${folder}`);
  return { reader, crawl };
}

/** What the crawl in `folder` has come to. */
export async function summarize(folder: string): Promise<CrawlSummary> {
  const { reader, crawl } = openCrawl(folder);
  try {
    const [record, totals] = [await reader.registry.load(crawl), await reader.registry.totals(crawl)];
    const setAside = [];
    for await (const { host, head } of reader.ledgers.hosts(crawl))
      if (head.setAside) setAside.push({ host, cause: head.setAside.cause });
    const warcFiles = (await listWarcFiles(foldersOf(folder).archive)).map(({ file }) => file);
    const extras = { costByItem: {}, setAside, warcFiles };
    const summary = summaryOf(crawl, record ?? { status: 'running' }, totals, extras);
    const isInterrupted = summary.state === 'running' && !reader.isInUse();
    return isInterrupted ? { ...summary, state: 'interrupted' } : summary;
  } finally {
    reader.close();
  }
}
