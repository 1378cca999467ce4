import type { DomainLimits } from '../../core/crawl/domain-limits.ts';
import { budgetByLinks } from '../../core/frontier/link-budget.ts';
import type { DomainFacts } from './links/domain-heads.ts';
import type { TurnServices } from './services.ts';
import type { TurnCrawl } from './turn-crawl.ts';

/** Returns the budget that a domain with such a state has in this period. */
export async function budgetNow(
  { medians }: Pick<TurnServices, 'medians'>,
  crawl: TurnCrawl,
  { budget = 0, growsByLinks }: DomainLimits,
): Promise<(state: DomainFacts) => number> {
  if (!growsByLinks) return () => budget;
  const median = await medians.of(crawl);
  return ({ linkers }) => budgetByLinks(budget, linkers, median);
}
