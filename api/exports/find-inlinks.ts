/** The links of a crawl's pages to one URL. */
import { parseConfig } from '../../shared/core/crawl/config.ts';
import { isRoute, withoutPlace } from '../../shared/core/url/hash-route.ts';
import { eachLink, redirectsOf } from '../../shared/services/exports/crawl-links.ts';
import type { ExportSource } from '../../shared/services/exports/export-source.ts';
import { nameIn } from '../../shared/services/report/explain.ts';
import type { Inlink } from '../inlinks.ts';

/** Redirects to the URL that are followed, one after the other. */
const MAX_REDIRECTS = 20;

/** See `StoredCrawl.inlinks`. */
export async function findInlinks(
  source: ExportSource,
  url: string,
  skip: (url: string, reason: string) => void = () => {},
): Promise<readonly Inlink[]> {
  const asked = nameIn(parseConfig(source.record.config), url);
  const targets = await namesOf(source, asked);
  const found = new Map<string, { page: string; texts: string[]; by?: string }>();
  await eachLink(
    source,
    ({ page, target: plain, route, text }) => {
      const target = isRoute(asked)
        ? route && [route, withoutPlace(route)].find((one) => one === asked)
        : plain;
      if (target === undefined || page === asked || !targets.has(target)) return;
      const before = found.get(page);
      if (!before) {
        found.set(page, { page, texts: [text], ...(target !== asked && { by: target }) });
        return;
      }
      before.texts.push(text);
      if (target === asked) delete before.by;
    },
    skip,
  );
  const links = [...found.values()].map((link) => ({ ...link, texts: [...new Set(link.texts)] }));
  return links.sort((a, b) => (a.page < b.page ? -1 : 1));
}

/** The URL, and those that redirect to it. Reads the crawl once for each step of the longest chain. */
async function namesOf(source: ExportSource, url: string): Promise<ReadonlySet<string>> {
  const names = new Set([url]);
  for (let step = 0; step < MAX_REDIRECTS; step++) {
    const before = names.size;
    for await (const [from, to] of redirectsOf(source)) if (names.has(to)) names.add(from);
    if (names.size === before) break;
  }
  return names;
}
