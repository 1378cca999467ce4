/** Pauses a crawl whose patterns take so long that the other crawls of the worker would wait for them. */
import type { CrawlConfig } from '../../../core/crawl/config.ts';
import type { HtmlLink } from '../../../core/parser/link-set.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { PageWork } from './page-work.ts';

/** CPU time that the patterns of a crawl may take for the links of one page. */
const MAX_MS = 1000;
/** Links that are taken in between two looks at the time, and by which the time of the patterns is estimated. */
export const WATCHED_LINKS = 100;

type Patterns = Pick<CrawlConfig, 'include' | 'exclude'>;

export const hasPatterns = ({
  include,
  exclude,
  overrides,
}: Patterns & Pick<CrawlConfig, 'overrides'>): boolean =>
  [{ include, exclude }, ...overrides].some(
    (given) => (given.include?.length ?? 0) > 0 || (given.exclude?.length ?? 0) > 0,
  );

/**
 * Watches the links of a page. Undefined if nothing is to be watched: the crawl has no patterns, or its thread's time is not
 * measured. What has begun goes on: all links of the page are taken in, with pauses.
 */
export function createPatternWatch(
  {
    engine,
    crawls,
    work,
  }: Pick<TurnServices, 'engine' | 'crawls'> & { readonly work: Pick<PageWork, 'cpuMs'> },
  crawl: TurnCrawl,
  depth: number,
): ((links: readonly HtmlLink[], page: string) => Promise<void>) | undefined {
  const { cpuMs } = work;
  if (cpuMs === undefined || !(hasPatterns(crawl.config) || crawl.sites?.hasPatterns)) return undefined;
  const begunAt = cpuMs();
  let count = 0;
  let isOver = false;
  return async (links, page) => {
    count += links.length;
    const before = cpuMs();
    if (isOver || before - begunAt < MAX_MS) return;
    // Unrelated work of the thread may have taken that time.
    for (const { url } of links) crawl.scope.check(url, depth);
    const patternMs = ((cpuMs() - before) / links.length) * count;
    if (patternMs < MAX_MS) return;
    isOver = true;
    const text = `its include and exclude patterns took ${(patternMs / 1000).toFixed(1)} s for ${count} links of ${page}`;
    await engine.registry.setStatus(crawl.id, 'paused', { code: 'patterns', text }, { from: ['running'] });
    crawls.refresh(crawl.id);
  };
}
