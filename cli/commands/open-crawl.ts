import type { CrawlId } from '../../shared/crawl/crawl-id.ts';
import { type LocalReader, openLocalReader } from '../../shared/engines/local/engine.ts';
import type { CrawlRecord } from '../../shared/ports/crawl-registry.ts';
import type { CrawlSummary } from '../../shared/report/summary.ts';
import { UsageError } from '../usage-error.ts';

/** A folder's crawl, and what its record said when it was opened. */
export interface OpenedCrawl {
  readonly reader: LocalReader;
  readonly crawl: CrawlId;
  readonly record: CrawlRecord;
}

/** Opens the crawl of a folder for reading, whether it runs or not. Throws {@link UsageError} where there is none. */
export async function openCrawl(folder: string): Promise<OpenedCrawl> {
  const reader = openLocalReader(folder);
  const crawl = reader?.crawl();
  const record = crawl === undefined ? undefined : await reader?.registry.load(crawl);
  if (reader && crawl !== undefined && record) return { reader, crawl, record };
  reader?.close();
  throw new UsageError(`There is no crawl in ${folder}`);
}

/** A crawl whose record says that it runs, though no process works in its folder, was interrupted. */
export function stateOf({ reader, record }: OpenedCrawl): CrawlSummary['state'] {
  return record.status === 'running' && !reader.isInUse() ? 'interrupted' : record.status;
}
