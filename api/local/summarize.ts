import { listWarcFiles } from '../../shared/engines/local/archive/archive-names.ts';
import { foldersOf } from '../../shared/engines/local/engine.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { siteCounts } from '../../shared/services/control/site-list.ts';
import { findFailedSeeds } from '../../shared/services/report/failed-seeds.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import { summaryOf } from '../../shared/services/report/summary-of.ts';
import { isTroubled, type KnownHost, troubledHosts } from '../../shared/services/report/troubled-hosts.ts';
import { openFolder, stateOf } from './open-folder.ts';

/** Returns the summary of the crawl in `folder`. */
export async function summarize(folder: string): Promise<CrawlSummary> {
  const opened = await openFolder(folder);
  const { reader, crawl, record } = opened;
  try {
    const totals = await reader.registry.totals(crawl);
    const troubled: KnownHost[] = [];
    for await (const known of reader.ledgers.hosts(crawl)) if (isTroubled(known.head)) troubled.push(known);
    const warcFiles = (await listWarcFiles(foldersOf(folder).archive)).map(({ file }) => file);
    const summary = summaryOf(crawl, record, totals, {
      ...troubledHosts(troubled),
      costByItem: {},
      failedSeeds: await findFailedSeeds(reader.ledgers, crawl, record, totals),
      hookErrors: reader.hookErrors(crawl),
      lateHookFailures: reader.lateHookFailures(crawl),
      warcFiles,
      sites: await siteCounts({ ...reader, clock: systemClock }, crawl, record),
    });
    return { ...summary, state: stateOf(opened) };
  } finally {
    reader.close();
  }
}
