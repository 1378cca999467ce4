/** Links of a crawl's pages that lead nowhere, found in its archive. */
import { resultText } from '../../shared/causes/cause-text.ts';
import { parseConfig } from '../../shared/crawl/config.ts';
import type { UrlRecord } from '../../shared/frontier/url-record.ts';
import { htmlOf, resolvedLinks } from '../../shared/outputs/resolved-links.ts';
import { createUrlRules } from '../../shared/url/url-rules.ts';
import type { BrokenLink, BrokenLinks, LinkingPage } from '../broken-links.ts';
import { allRecords } from '../url-rows.ts';
import { eachPayload } from './archived-payloads.ts';
import { isHtml } from './crawl-links.ts';
import type { ExportSource } from './export-source.ts';

/** Broken URLs that are listed, pages that are named for each, and redirects that are followed. */
const MAX_BROKEN = 10_000;
const MAX_PAGES = 100;
const MAX_REDIRECTS = 20;

/** See `StoredCrawl.brokenLinks`. */
export async function findBrokenLinks(
  { rows, crawl, record: { config }, archive }: ExportSource,
  skip: (url: string, reason: string) => void = () => {},
): Promise<BrokenLinks> {
  const nameOf = createUrlRules(parseConfig(config).urlRules);
  const broken = new Map<
    string,
    { -readonly [K in keyof BrokenLink]: BrokenLink[K] } & { pages: LinkingPage[] }
  >();
  const redirects = new Map<string, string>();
  let checked = 0;
  let beyond = 0;
  const pages: UrlRecord[] = [];
  for await (const record of allRecords(rows, crawl)) {
    const { url, state, result } = record;
    if (state === 'waiting' || state === 'skipped' || state === 'deniedByRobots') continue;
    checked++;
    if (state === 'redirect' && result?.cause?.code === 'redirect')
      redirects.set(url, nameOf(result.cause.to));
    if (state === 'fetched' && isHtml(result?.contentType) && result?.location) pages.push(record);
    if (state !== 'gone' && state !== 'failed') continue;
    if (broken.size >= MAX_BROKEN) beyond++;
    else
      broken.set(url, {
        url,
        status: state,
        ...(result?.httpStatus !== undefined && { httpStatus: result.httpStatus }),
        cause: resultText(result ?? {}) ?? (result?.httpStatus ? `HTTP ${result.httpStatus}` : state),
        links: 0,
        pages: [],
      });
  }
  const answer = { checked, beyond, pages: pages.length };
  if (broken.size === 0) return { ...answer, broken: [] };
  await eachPayload(
    archive,
    pages,
    ({ url: page }, payload) => {
      for (const { target, text, element } of resolvedLinks(htmlOf(payload), page)) {
        const found = broken.get(finalOf(redirects, nameOf(target)));
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
