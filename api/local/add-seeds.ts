/** Adds seeds to a crawl on this machine, while it runs or after. */

import { orExplained } from '../../shared/core/base/explain-errors.ts';
import { SEEDS_ADDED } from '../../shared/core/causes/status-reason.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import { NoContact } from '../../shared/core/crawl/crawl-errors.ts';
import type { Clock } from '../../shared/crawler/ports/clock.ts';
import { createLinkExchange } from '../../shared/engines/local/link-exchange.ts';
import { isFolderInUse } from '../../shared/engines/local/lock.ts';
import { planSeeds } from '../../shared/services/begin/plan-seeds.ts';
import { sendSeeds } from '../../shared/services/begin/send-seeds.ts';
import { asRefusal } from '../../shared/services/control/as-refusal.ts';
import { checkRules } from '../../shared/services/control/find-crawl.ts';
import type { LocallyAdded } from '../stored-crawl.ts';
import { openFolder, withRegistry } from './open-folder.ts';

/** A worker knows its crawl's scope as it was two seconds ago (`crawl-state/crawls.ts`). */
export const SCOPE_HEARD_MS = 2500;

/**
 * Puts the seeds on their way, and widens the crawl's scope by them. Throws `ControlError` if none of them
 * can be a seed, `NoCrawl` and `NoContact`. `rulesAdvice`: what to do if the crawl knows its URLs by another
 * version's rules.
 */
export async function addSeeds(
  folder: string,
  seeds: readonly string[],
  clock: Pick<Clock, 'sleep'>,
  rulesAdvice = 'resume it with newUrlRules first',
): Promise<LocallyAdded> {
  const { reader, crawl, record } = await openFolder(folder);
  reader.close();
  const config = parseConfig(record.config);
  checkRules(crawl, record, rulesAdvice);
  const plan = () => planSeeds(seeds, record, config);
  const { accepted, refused, widening } = orExplained(plan, (error) =>
    error instanceof NoContact ? error : asRefusal(error),
  );
  return withRegistry(folder, async (registry, database) => {
    // In this order, so that a crash loses nothing that was promised: the scope, the status, the seeds.
    if (widening.length > 0) {
      await registry.addScopeSeeds(crawl, widening);
      // Links of a seed that is fetched before the worker knows would be lost as outside of the scope.
      if (isFolderInUse(folder)) await clock.sleep(SCOPE_HEARD_MS);
    }
    await registry.setStatus(crawl, 'running', SEEDS_ADDED, { from: ['finished'] });
    await sendSeeds({ exchange: createLinkExchange(database) }, crawl, accepted);
    const left = refused.map(({ url, reason }) => ({ url, reason }));
    const limit = record.status === 'limited' ? record.why?.text : undefined;
    return { crawl, added: accepted.length, refused: left, isRunning: isFolderInUse(folder), limit };
  });
}
