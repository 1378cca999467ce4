/** Links of a crawl's pages that lead nowhere, found in its archive. */
import { PayloadReader } from '../../shared/core/archive/payload-reader.ts';
import { resultText } from '../../shared/core/causes/cause-text.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { createUrlRules } from '../../shared/core/url/url-rules.ts';
import { eachPayload } from '../../shared/services/exports/archived-payloads.ts';
import { isHtml } from '../../shared/services/exports/crawl-links.ts';
import type { ExportSource } from '../../shared/services/exports/export-source.ts';
import { htmlOf, resolvedLinks } from '../../shared/services/outputs/resolved-links.ts';
import { allRecords } from '../../shared/services/report/url-rows.ts';
import type { BrokenLink, BrokenLinks, LinkingPage } from '../broken-links.ts';
import { isBrokenRedirect, loopsIn, loopText, mayLoop } from './broken-redirects.ts';

/** Broken URLs that are listed, pages that are named for each, and redirects that are followed. */
const MAX_BROKEN = 10_000;
const MAX_PAGES = 100;
const MAX_REDIRECTS = 20;

/** See `StoredCrawl.brokenLinks`. */
export async function findBrokenLinks(
  { rows, crawl, record: { config }, payloads }: ExportSource,
  skip: (url: string, reason: string) => void = () => {},
): Promise<BrokenLinks> {
  const nameOf = createUrlRules(parseConfig(config).urlRules);
  const broken = new Map<
    string,
    { -readonly [K in keyof BrokenLink]: BrokenLink[K] } & { pages: LinkingPage[] }
  >();
  const redirects = new Map<string, string>();
  const mayBeLoops = new Map<string, string>();
  let checked = 0;
  let beyond = 0;
  const pages: UrlRecord[] = [];
  for await (const record of allRecords(rows, crawl)) {
    const { url, state, result } = record;
    if (state === 'waiting' || state === 'skipped' || state === 'deniedByRobots') continue;
    checked++;
    const isBroken = state === 'gone' || state === 'failed' || isBrokenRedirect(record);
    if (!isBroken && state === 'redirect' && result?.cause?.code === 'redirect') {
      const target = nameOf(result.cause.to);
      redirects.set(url, target);
      if (mayLoop(result.cause)) mayBeLoops.set(url, target);
    }
    if (state === 'fetched' && isHtml(result?.contentType) && result?.location) pages.push(record);
    if (!isBroken) continue;
    add({
      url,
      status: state as BrokenLink['status'],
      ...(result?.httpStatus !== undefined && { httpStatus: result.httpStatus }),
      cause: resultText(result ?? {}) ?? (result?.httpStatus ? `HTTP ${result.httpStatus}` : state),
    });
  }
  /** The first URL of its loop by each URL of one. */
  const loopOf = new Map<string, string>();
  for (const loop of loopsIn(mayBeLoops)) {
    const url = loop[0]!;
    for (const one of loop) loopOf.set(one, url);
    add({ url, status: 'redirect', cause: loopText(loop), loop: loop.slice(0, MAX_REDIRECTS) });
  }
  const answer = { checked, beyond, pages: pages.length };
  if (broken.size === 0) return { ...answer, broken: [] };
  await eachPayload(
    new PayloadReader(payloads, 'shown'),
    pages,
    ({ url: page }, payload) => {
      for (const { target, text, element } of resolvedLinks(htmlOf(payload), page)) {
        const end = finalOf(redirects, nameOf(target));
        const found = broken.get(loopOf.get(end) ?? end);
        if (!found) continue;
        found.links++;
        if (found.pages.length < MAX_PAGES)
          found.pages.push({ page, text, element, ...(found.url !== nameOf(target) && { by: target }) });
      }
    },
    skip,
  );
  const all = [...broken.values()].sort((a, b) => b.links - a.links || (a.url < b.url ? -1 : 1));
  return { ...answer, broken: all };

  function add(link: Omit<BrokenLink, 'links' | 'pages'>): void {
    if (broken.size >= MAX_BROKEN) beyond++;
    else broken.set(link.url, { ...link, links: 0, pages: [] });
  }
}

/** Where a chain of redirects ends. */
function finalOf(redirects: ReadonlyMap<string, string>, url: string): string {
  let at = url;
  for (let i = 0; i < MAX_REDIRECTS; i++) {
    const next = redirects.get(at);
    if (next === undefined) break;
    at = next;
  }
  return at;
}
