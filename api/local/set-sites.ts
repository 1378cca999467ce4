/** Replaces the list of sites of a crawl on this machine, while it runs or after. */
import { SEEDS_ADDED } from '../../shared/core/causes/status-reason.ts';
import type { SiteChanges, SiteOptions } from '../../shared/core/crawl/sites.ts';
import type { Clock } from '../../shared/crawler/ports/clock.ts';
import { createLinkExchange } from '../../shared/engines/local/link-exchange.ts';
import { isFolderInUse } from '../../shared/engines/local/lock.ts';
import { sendSeeds } from '../../shared/services/begin/send-seeds.ts';
import { checkNotStopped, checkRules } from '../../shared/services/control/find-crawl.ts';
import { changeSites, type SitePolicy } from '../../shared/services/control/site-list.ts';
import { SCOPE_HEARD_MS } from './add-seeds.ts';
import { openFolder, withRegistry } from './open-folder.ts';

/** Throws `ControlError` for a list that cannot be, and for a crawl that is stopped; and `NoCrawl`. */
export async function setSites(
  folder: string,
  sites: readonly SiteOptions[],
  policy: SitePolicy,
  clock: Pick<Clock, 'sleep'>,
): Promise<SiteChanges> {
  const { reader, crawl, record } = await openFolder(folder);
  reader.close();
  checkRules(crawl, record);
  checkNotStopped(crawl, record);
  return withRegistry(folder, (registry, database) => {
    const change = {
      ...{ ...policy, registry, crawl, record },
      untilHeard: async () => {
        if (isFolderInUse(folder)) await clock.sleep(SCOPE_HEARD_MS);
      },
      bring: async (urls: readonly string[]) => {
        await registry.setStatus(crawl, 'running', SEEDS_ADDED, { from: ['finished'] });
        await sendSeeds({ exchange: createLinkExchange(database) }, crawl, urls);
      },
    };
    return changeSites(change, sites);
  });
}
