/** Opens the map of a site: its settings, fetcher and walk. */
import { tmpdir } from 'node:os';
import type { CrawlConfig } from '../../../shared/core/crawl/config.ts';
import { InvalidConfig } from '../../../shared/core/crawl/invalid-config.ts';
import { openFetcher } from '../../../shared/engines/local/session/open-fetcher.ts';
import { systemClock } from '../../../shared/engines/system-clock.ts';
import { planCrawl } from '../../../shared/services/begin/plan-crawl.ts';
import { NO_PROJECT } from '../../../shared/services/project/project-file.ts';
import {
  DEFAULT_MAP_LIMIT,
  MAP_SOURCES,
  MAX_MAP_LIMIT,
  type MapOptions,
  type MapSource,
} from '../../map-options.ts';
import { wordsIn } from './searched-urls.ts';
import { SiteFiles } from './site-files.ts';
import { SiteRequests } from './site-requests.ts';
import { SiteRules } from './site-rules.ts';
import { SiteWalk } from './site-walk.ts';

/** Requests follow one another; a host may have several addresses to try. */
const MAX_SOCKETS = 16;

export interface OpenMap extends AsyncDisposable {
  readonly config: CrawlConfig;
  readonly walk: SiteWalk;
  readonly requests: SiteRequests;
  urls(): ReturnType<SiteWalk['urls']>;
}

/** Throws `InvalidConfig` and `NoContact`, as `startCrawl` does. */
export async function openMap(url: string, given: MapOptions): Promise<OpenMap> {
  const {
    source = 'all',
    search,
    limit = DEFAULT_MAP_LIMIT,
    skip = () => {},
    signal,
    middleware,
    ...options
  } = given;
  checkOwn(source, limit);
  const plan = planCrawl({ seeds: [url], options: { sitemaps: 'find', ...options } });
  const { config, sitemaps, seeds } = plan;
  const fetcher = openFetcher({
    // Bodies too large for memory: in a file without a name.
    tempFolder: tmpdir(),
    config,
    clock: systemClock,
    maxSockets: MAX_SOCKETS,
    project: middleware && { ...NO_PROJECT, middleware },
  });
  const requests = new SiteRequests({ fetcher, config, clock: systemClock, signal });
  const rules = new SiteRules(config, requests);
  const walk = new SiteWalk({
    config,
    start: seeds.accepted[0]!,
    sitemaps,
    sources: new Set<MapSource>(source === 'all' ? MAP_SOURCES : [source]),
    limit,
    matches: wordsIn(search),
    rules,
    files: new SiteFiles(config, requests, rules),
    skip,
  });
  return {
    config,
    walk,
    requests,
    urls: () => walk.urls(),
    async [Symbol.asyncDispose]() {
      await fetcher.close();
    },
  };
}

function checkOwn(source: unknown, limit: unknown): void {
  const known: readonly unknown[] = ['all', ...MAP_SOURCES];
  if (!known.includes(source))
    throw new InvalidConfig(
      `Expected source to be one of ${known.join(', ')}, got ${String(JSON.stringify(source)).slice(0, 100)}`,
    );
  if (!Number.isInteger(limit) || (limit as number) < 1 || (limit as number) > MAX_MAP_LIMIT)
    throw new InvalidConfig(
      `Expected limit to be a whole number from 1 to ${MAX_MAP_LIMIT}, got ${String(limit).slice(0, 100)}`,
    );
}
