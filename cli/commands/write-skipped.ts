/** The links that a crawl left out, and the URLs that it knows and did not fetch, each with the reason. */
import type { DatabaseSync } from 'node:sqlite';
import type { CrawlId } from '../../shared/crawl/crawl-id.ts';
import { readSkips, skipsBeyond } from '../../shared/engines/local/skip-log.ts';
import type { UrlState } from '../../shared/frontier/url-record.ts';
import { exportHeader, rowLine } from '../export-rows.ts';
import type { RowFormat } from '../option-spec.ts';
import { type RowSource, type RowStream, recordsOf, writerTo } from './write-rows.ts';

const COLUMNS = ['url', 'reason', 'via', 'cause'] as const;
const LEFT_OUT: ReadonlySet<UrlState> = new Set<UrlState>(['skipped', 'deniedByRobots']);

/**
 * First the links in the order in which they were first met, then the known URLs that were denied or skipped, host by
 * host, with the state as the reason, and its cause in words. Returns how many links more there were than the log holds.
 */
export async function writeSkipped(
  source: RowSource & { readonly database: DatabaseSync },
  crawl: CrawlId,
  format: RowFormat,
  out: RowStream,
): Promise<number> {
  const write = writerTo(out);
  await write(exportHeader(format, COLUMNS));
  for (const skip of readSkips(source.database, crawl)) await write(rowLine(skip, COLUMNS, format));
  for await (const { host, head } of source.ledgers.hosts(crawl)) {
    const { deniedByRobots, skipped } = head.ledger.counts;
    if (deniedByRobots + skipped === 0) continue;
    for await (const { url, state, via, result } of recordsOf(source, crawl, host, head)) {
      if (!LEFT_OUT.has(state)) continue;
      await write(rowLine({ url, reason: state, via, cause: result?.cause }, COLUMNS, format));
    }
  }
  return skipsBeyond(source.database, crawl);
}
