/** Collects a crawl's knowledge of a URL, to explain what would happen to it. */

import { parseConfig } from '../shared/core/crawl/config.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import { linkBudget } from '../shared/core/crawl/domain-limits.ts';
import { domainKey } from '../shared/core/frontier/domain-state.ts';
import type { Head } from '../shared/core/frontier/head.ts';
import type { HostLedger } from '../shared/core/frontier/ledger.ts';
import { rankOf } from '../shared/core/frontier/rank.ts';
import { countUrls, type UrlRecord } from '../shared/core/frontier/url-record.ts';
import type { RobotsRules } from '../shared/core/robots/robots-rules.ts';
import { decodeRules } from '../shared/core/robots/rules-text.ts';
import { usageFileKey, usageFilesOf } from '../shared/core/robots/usage-files.ts';
import type { HostKey } from '../shared/core/url/host-key.ts';
import { origin } from '../shared/core/url/host-key.ts';
import { domainOf } from '../shared/core/url/registrable-domain.ts';
import { makesUse, wantsTdm } from '../shared/core/usage/purpose.ts';
import { sitesOf } from '../shared/crawler/crawl-state/crawls.ts';
import type { CrawlRecord, CrawlRegistry } from '../shared/crawler/ports/crawl-registry.ts';
import type { LedgerStore } from '../shared/crawler/ports/ledger-store.ts';
import { explainUrl, nameIn } from '../shared/services/report/explain.ts';
import type { Explanation, HostLine } from '../shared/services/report/explanation.ts';
import { lookUpUrl } from '../shared/services/report/look-up-url.ts';
import type { CrawlSummary } from '../shared/services/report/summary.ts';

/**
 * For a larger host the URL's position in the queue is not counted: that would read all its records, a second per
 * million.
 */
const MAX_COUNTED = 500_000;

/** A crawl, in a folder or on a stack. */
export interface ExplainedCrawl {
  readonly ledgers: Pick<LedgerStore, 'loadHead' | 'readPart'>;
  readonly registry: Pick<CrawlRegistry, 'readSites'>;
  readonly crawl: CrawlId;
  readonly record: CrawlRecord;
  readonly state: CrawlSummary['state'];
  /** How many domains link to the median domain. */
  readonly medianLinkers: () => Promise<number>;
}

/** Explains what would happen to a URL in the crawl, whether it runs or not. */
export async function explainIn(
  { ledgers, registry, crawl, record: kept, state, medianLinkers }: ExplainedCrawl,
  url: string,
): Promise<Explanation> {
  const config = parseConfig(kept.config);
  const name = nameIn(config, url);
  const { host, head, ledger, record } = await lookUpUrl(ledgers, crawl, name);
  const now = Date.now();
  const domainHead = await ledgers.loadHead(crawl, domainKey(domainOf(host)));
  const rulesOf = async (key: string) => head && rulesIn({ ledgers, crawl }, host, head, key);
  const robots = await rulesOf(origin(name));
  const files = makesUse(config.purpose)
    ? usageFilesOf(origin(name), robots ?? NO_RULES, wantsTdm(config.purpose))
    : [];
  return explainUrl({
    url,
    config,
    crawl: { id: crawl, state, scopeSeeds: kept.scopeSeeds, sites: await sitesOf(registry, crawl, kept) },
    head,
    domainHead,
    medianLinkers: linkBudget(config.domainBudget) === undefined ? undefined : await medianLinkers(),
    robots,
    usageFiles: (await Promise.all(files.map((file) => rulesOf(usageFileKey(file))))).flatMap(
      (rules) => rules ?? [],
    ),
    record,
    isKnown: (other) => ledger.has(other),
    line: record?.state === 'waiting' && record.dueAt <= now ? await lineOf(ledger, record, now) : undefined,
    now,
  });
}

const NO_RULES: RobotsRules = { rules: [], sitemaps: [] };

/** Rules that the head keeps by that key. */
async function rulesIn(
  { ledgers, crawl }: { readonly ledgers: Pick<LedgerStore, 'readPart'>; readonly crawl: CrawlId },
  host: HostKey,
  { robots }: Head,
  key: string,
): Promise<RobotsRules | undefined> {
  const kept = robots.find((one) => one.origin === key);
  if (!kept || kept.kind === 'allowAll') return undefined;
  const text = kept.part
    ? Buffer.from(await ledgers.readPart(crawl, host, kept.part)).toString('utf8')
    : (kept.rules ?? '');
  return decodeRules(text);
}

async function lineOf(ledger: HostLedger, own: UrlRecord, now: number): Promise<HostLine | undefined> {
  if (countUrls(ledger.counts) > MAX_COUNTED) return undefined;
  const ownRank = rankOf(own.depth, own.level, own.kind);
  let before = 0;
  let alike = 0;
  for await (const { url, state, dueAt, depth, level, kind } of ledger.records()) {
    if (state !== 'waiting' || dueAt > now || url === own.url) continue;
    const rank = rankOf(depth, level, kind);
    if (rank < ownRank) before++;
    else if (rank === ownRank) alike++;
  }
  return { before, alike };
}
