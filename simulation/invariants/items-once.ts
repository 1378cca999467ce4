import type { Violation } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, isPage } from './facts.ts';
import { createFindings, type Findings } from './findings.ts';

/**
 * The hook of a world returns an item for each page that it is called for, also if it reports an error. A committed head counts them, and
 * each is in S3 once: published, and no longer staged. An attempt that was never committed may have left a
 * staged object.
 *
 * A queue that loses a message may lose the turn that would have published what a dead process had staged.
 */
export function itemsOnce(facts: Pick<Facts, 'crawls' | 'strikes'>): readonly Violation[] {
  const findings = createFindings('itemsOnce');
  for (const crawl of facts.crawls) {
    checkUrls(findings, crawl);
    checkCount(findings, crawl, facts.strikes.messageLost > 0);
  }
  return findings.list;
}

function checkUrls(findings: Findings, { id, items, known }: CrawlFacts): void {
  const seen = new Set<string>();
  for (const url of items) {
    if (seen.has(url)) findings.add(`${id}: the item of ${url} is published twice`);
    seen.add(url);
    const record = known.get(url);
    if (record === undefined || !isPage(record))
      findings.add(`${id}: there is an item of ${url}, which is no page of the crawl`);
  }
}

function checkCount(
  findings: Findings,
  { id, hosts, items, stagedItems }: CrawlFacts,
  isMessageLost: boolean,
): void {
  let counted = 0;
  for (const { host, head } of hosts.values()) {
    counted += head.totals.hooks?.items ?? 0;
    if (head.stagedItems !== undefined && stagedItems.includes(head.stagedItems) && !isMessageLost)
      findings.add(`${id}: the items ${head.stagedItems} of ${host} are committed and not published`, {
        host,
      });
  }
  const isTooFew = items.length < counted && !isMessageLost;
  if (items.length > counted || isTooFew)
    findings.add(`${id}: the heads count ${counted} items, ${items.length} are published`);
}
