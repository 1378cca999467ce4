import { FLAG_VALUE, SIM_FLAG, SIM_ITEMS } from '../worlds/sim-hooks.ts';
import type { Violation } from '../worlds/spec.ts';
import type { CrawlFacts, Facts } from './facts.ts';
import { createFindings, type Findings } from './findings.ts';

/**
 * The hook of a world counts its items in the state, for each host and for all together. Committed heads count them too: the
 * same, as a visit's changes of the state are committed with its head or not at all. A flag of a host is set or not there.
 */
export function stateOnce(facts: Pick<Facts, 'crawls'>): readonly Violation[] {
  const findings = createFindings('stateOnce');
  for (const crawl of facts.crawls) checkCrawl(findings, crawl);
  return findings.list;
}

function checkCrawl(findings: Findings, { id, hosts, state }: CrawlFacts): void {
  let counted = 0;
  for (const { host, head } of hosts.values()) {
    const items = head.totals.hooks?.items ?? 0;
    counted += items;
    const kept = Number(state.get(`${SIM_ITEMS} ${host}`) ?? 0);
    if (kept !== items)
      findings.add(`${id}: the head of ${host} counts ${items} items, and the state ${kept}`, { host });
    const flag = state.get(`${SIM_FLAG} ${host}`);
    if (flag !== undefined && flag !== FLAG_VALUE)
      findings.add(`${id}: the flag of ${host} is ${flag}`, { host });
  }
  const kept = Number(state.get(SIM_ITEMS) ?? 0);
  if (kept !== counted) findings.add(`${id}: the heads count ${counted} items, and the state ${kept}`);
}
