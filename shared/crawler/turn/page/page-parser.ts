import type { TrapWatch } from '../../../core/frontier/trap-watch.ts';
import type { UrlRecord } from '../../../core/frontier/url-record.ts';
import type { ResponseHead } from '../../../core/outcome/response-head.ts';
import { createDocumentParser, type DocumentParser } from '../../../core/parser/document.ts';
import type { ResolveReference } from '../../../core/parser/link-set.ts';
import { MAX_SITEMAP_BYTES, MAX_SITEMAP_LINKS } from '../../../core/parser/xml-links.ts';
import { robotName } from '../../../core/robots/parse-robots.ts';
import { createResolver } from '../../../core/url/canonical.ts';
import type { NearDuplicates } from '../copies/near-duplicates.ts';
import type { TurnCounters } from '../counters.ts';
import type { PageLinks } from '../links/page-links.ts';
import type { RecrawlPlan } from '../recrawl/recrawl-plan.ts';
import { mayBeChallenge } from '../refusal/response-signs.ts';
import type { TurnRendering } from '../render/turn-rendering.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import { wantsSigns } from './page-hints.ts';
import type { Soft404 } from './soft-404.ts';

/** The parts of a turn that say what is looked for in a page. */
export interface PageParserOptions {
  readonly crawl: TurnCrawl;
  readonly counters: TurnCounters;
  readonly traps: TrapWatch;
  readonly links: PageLinks;
  readonly recrawl: RecrawlPlan;
  readonly soft404: Soft404;
  readonly nearDuplicates: NearDuplicates;
  readonly rendering: TurnRendering | undefined;
}

/**
 * Makes the parser for the response to `record.url`, within the limits of the crawl, or those of a sitemap. It finds
 * what some part of the turn wants to know of this page, and nothing else: each of these costs.
 */
export function createPageParser(
  { work }: Pick<TurnServices, 'work'>,
  options: PageParserOptions,
  record: UrlRecord,
  head: Pick<ResponseHead, 'headers'>,
): DocumentParser {
  const { crawl, counters, traps, links, recrawl, soft404, nearDuplicates, rendering } = options;
  const { url, kind } = record;
  const { id, config } = crawl;
  const isSitemap = kind === 'sitemap';
  return createDocumentParser({
    url,
    headers: head.headers,
    maxDecodedBytes: isSitemap ? MAX_SITEMAP_BYTES : config.maxDecodedBytes,
    maxLinks: isSitemap ? MAX_SITEMAP_LINKS : config.maxLinksPerPage,
    resolve: createPageResolver(),
    kind,
    wantsRequisites: config.requisites,
    wantsFeeds: config.feeds,
    wantsTextHash: links.isWatchingTraps() && traps.wantsText(url),
    wantsBlocks:
      (recrawl.isOn && kind === undefined) ||
      soft404.wantsBlocks(record) ||
      nearDuplicates.wantsBlocks(record),
    wantsSigns: wantsSigns(record, counters.totals.pages) || rendering?.wantsSigns(record) === true,
    wantsContent: mayBeChallenge,
    robotName: robotName(config.userAgent).toLowerCase(),
    around: (parse) => work.run(id, url, 'parse', parse),
  });
}

/** Resolves references to canonical URLs, with one resolver for each base. */
export function createPageResolver(): ResolveReference {
  let lastBase: string | undefined;
  let resolve = (_: string): string | undefined => undefined;
  return (reference, base) => {
    if (base !== lastBase) {
      lastBase = base;
      resolve = createResolver(base);
    }
    return resolve(reference);
  };
}
