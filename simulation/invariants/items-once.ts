import { isRecrawling } from '../../shared/core/crawl/config.ts';
import { fetchedUrl } from '../../shared/core/url/request-url.ts';
import { simLanguage } from '../worlds/sim-hooks.ts';
import type { Violation } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, isBy, isPage, mayHaveLostTurns } from './facts.ts';
import { createFindings, type Findings } from './findings.ts';

/**
 * The hook of a world returns an item for each page that it is called for, also if it reports an error. A committed head counts them, and
 * each is in S3 once: published, and no longer staged. An attempt that was never committed may have left a
 * staged object. No item is of a page in a language that the crawl does not want.
 *
 * A queue that loses a message may lose the turn that would have published what a dead process had staged.
 *
 * The compactor puts each published item into one row of a table, all of them once the crawl has ended. Clocks that are
 * wrong by more than an hour may keep items out.
 */
export function itemsOnce(
  facts: Pick<Facts, 'crawls' | 'strikes' | 'web' | 'hasCompactor'>,
): readonly Violation[] {
  const findings = createFindings('itemsOnce');
  for (const crawl of facts.crawls) {
    checkUrls(findings, crawl, facts.web);
    checkCount(findings, crawl, facts.strikes.messageLost > 0);
    if (facts.hasCompactor) checkTables(findings, crawl, facts);
  }
  return findings.list;
}

function checkUrls(findings: Findings, crawl: CrawlFacts, { log }: Facts['web']): void {
  const { id, items, known, config } = crawl;
  const seen = new Map<string, number>();
  const answers = log.filter((one) => isBy(one, crawl) && Math.floor((one.httpStatus ?? 0) / 100) === 2);
  const answered = isRecrawling(config) ? Map.groupBy(answers, ({ url }) => url) : undefined;
  for (const url of items) {
    const times = (seen.get(url) ?? 0) + 1;
    seen.set(url, times);
    // A page that has changed has new items.
    if (times > (answered?.get(url)?.length ?? 1))
      findings.add(`${id}: the item of ${url} is published ${times} times`);
    const record = known.get(url);
    if (record === undefined || !isPage(record))
      findings.add(`${id}: there is an item of ${url}, which is no page of the crawl`);
    if (config.languages && simLanguage(fetchedUrl(url)) === 'en')
      findings.add(`${id}: there is an item of ${url}, which is in another language than the crawl's`);
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

function checkTables(
  findings: Findings,
  { id, status, items, tabledItems }: CrawlFacts,
  facts: Pick<Facts, 'strikes'>,
): void {
  const published = new Map<string, number>();
  for (const url of items) published.set(url, (published.get(url) ?? 0) + 1);
  for (const url of tabledItems) {
    const left = (published.get(url) ?? 0) - 1;
    published.set(url, left);
    if (left < 0) findings.add(`${id}: the tables have the item of ${url} more often than it is published`);
  }
  if ((status !== 'finished' && status !== 'stopped') || facts.strikes.clockStepped > 0) return;
  const excuse = mayHaveLostTurns(facts) ? ('leftBehind' as const) : undefined;
  for (const [url, left] of published)
    if (left > 0) findings.add(`${id} is ${status}, and the item of ${url} is in no table`, { excuse });
}
