import type { CrawlSummary } from '../../shared/control/summary.ts';
import { summaryOf } from '../../shared/control/summary-of.ts';
import { listWarcFiles } from '../../shared/engines/local/archive.ts';
import { foldersOf } from '../../shared/engines/local/engine.ts';
import { openCrawl, stateOf } from './open-crawl.ts';

/** What the crawl in `folder` has come to. */
export async function summarize(folder: string): Promise<CrawlSummary> {
  const opened = await openCrawl(folder);
  const { reader, crawl, record } = opened;
  try {
    const totals = await reader.registry.totals(crawl);
    const setAside = [];
    for await (const { host, head } of reader.ledgers.hosts(crawl))
      if (head.setAside) setAside.push({ host, cause: head.setAside.cause });
    const warcFiles = (await listWarcFiles(foldersOf(folder).archive)).map(({ file }) => file);
    const summary = summaryOf(crawl, record, totals, { costByItem: {}, setAside, warcFiles });
    return { ...summary, state: stateOf(opened) };
  } finally {
    reader.close();
  }
}
