/** Lists crawls by name, a page at a time. */
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { CrawlStatus } from '../../crawler/ports/crawl-registry.ts';
import type { CrawlEntry, CrawlPage, CrawlPageRequest } from './control.ts';
import type { ControlEngine } from './control-engine.ts';

/** Crawls of a page, and those of them looked at together. */
const MAX_PAGE = 1000;
const BATCH = 10;

/**
 * The names come from the directory; of a page only those whose names fit are read. Running crawls are found by the
 * directory of running crawls. A page may be short, and only the last has no cursor.
 */
export async function listCrawls(
  { registry }: Pick<ControlEngine, 'registry'>,
  { prefix = '', state, cursor = '' }: CrawlPageRequest = {},
): Promise<CrawlPage> {
  const all = state === 'running' && registry.listRunning ? registry.listRunning() : registry.list();
  const names = (await all).filter((crawl) => crawl.startsWith(prefix) && crawl > cursor).sort();
  const page = names.slice(0, MAX_PAGE);
  const crawls: CrawlEntry[] = [];
  for (let from = 0; from < page.length; from += BATCH) {
    const batch = page.slice(from, from + BATCH).map((crawl) => entryOf(registry, crawl, state));
    crawls.push(...(await Promise.all(batch)).flat());
  }
  const last = page.at(-1);
  return { crawls, ...(names.length > page.length && last !== undefined && { cursor: last }) };
}

/** Undefined if the crawl was deleted, or is in another state. */
async function entryOf(
  registry: ControlEngine['registry'],
  crawl: CrawlId,
  state: CrawlStatus | undefined,
): Promise<CrawlEntry[]> {
  const record = await registry.load(crawl);
  if (!record || (state !== undefined && record.status !== state)) return [];
  const { pages } = await registry.totals(crawl);
  return [{ crawl, state: record.status, reason: record.why?.text, pages }];
}

/** Yields the pages, each as it is read. */
export async function* crawlPages(
  control: { list(page?: CrawlPageRequest): Promise<CrawlPage> },
  request: CrawlPageRequest = {},
): AsyncGenerator<readonly CrawlEntry[], void, undefined> {
  let cursor: string | undefined;
  do {
    const page: CrawlPage = await control.list({ ...request, ...(cursor !== undefined && { cursor }) });
    yield page.crawls;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
