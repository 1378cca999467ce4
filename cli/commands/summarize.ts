import { type CrawlSummary, pageRate } from '../../shared/control/summary.ts';
import { listWarcFiles } from '../../shared/engines/local/archive.ts';
import { foldersOf, type LocalReader, openLocalReader } from '../../shared/engines/local/engine.ts';
import { countUrls } from '../../shared/frontier/url-record.ts';
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
    const status = record?.status ?? 'running';
    const seconds = Math.round(totals.activeMs / 10) / 100;
    return {
      pages: totals.pages,
      urls: countUrls(totals.urls),
      hosts: totals.hosts,
      bytes: totals.bytes,
      seconds,
      byStatus: totals.urls,
      httpStatus: totals.httpStatus,
      skipped: totals.skipped,
      errors: totals.errors,
      warcFiles: (await listWarcFiles(foldersOf(folder).archive)).map(({ file }) => file),
      state: status === 'running' && !reader.isInUse() ? 'interrupted' : status,
      crawl,
      rate: pageRate(totals.pages, seconds),
      cost: 0,
      costByItem: {},
      reason: record?.reason,
      setAside,
    };
  } finally {
    reader.close();
  }
}
