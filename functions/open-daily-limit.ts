import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import { controlPolicyOf } from '../shared/engines/aws/control-policy.ts';
import { wakeAllText } from '../shared/engines/aws/queues/link-message.ts';
import type { StackSettings } from '../shared/engines/aws/settings.ts';
import type { OpenedStack } from '../shared/engines/aws/stack.ts';
import { CrawlDirectory } from '../shared/engines/aws/state/crawl-directory.ts';
import { spentToday } from '../shared/engines/aws/state/daily-spend.ts';
import { UNTIL_NEXT_DAY } from '../shared/engines/aws/state/tables.ts';
import { resumeCrawl } from '../shared/services/control/resume-crawl.ts';
import { DailyLimit, type DailyLimitDeps } from './daily-limit.ts';

/** Opens the limit of cost in a day of a stack. */
export function openDailyLimit(
  {
    engine: { exchange, registry },
    clients: { dynamo },
    meter,
  }: Pick<OpenedStack, 'engine' | 'clients' | 'meter'>,
  settings: StackSettings,
  { clock, ...more }: Pick<DailyLimitDeps, 'announce' | 'forget' | 'log'> & { readonly clock: Clock },
): DailyLimit {
  const context = { dynamo, clock, table: settings.crawlState };
  const spent = () => spentToday(context);
  const engine = {
    ...{ exchange, registry, spentToday: spent },
    // The router does it, as there may be very many hosts.
    wakeAll: (crawl: CrawlId, resume: number) => exchange.sendTexts([wakeAllText(crawl, resume)]),
  };
  const { limits = {} } = controlPolicyOf(settings);
  return new DailyLimit({
    ...{ clock, ...more, registry, spentToday: spent, maxCost: limits.maxCostPerDay },
    paused: new CrawlDirectory({ ...context, name: UNTIL_NEXT_DAY }),
    resume: (crawl) => meter.run(crawl, () => resumeCrawl({ engine, limits }, crawl)),
  });
}
