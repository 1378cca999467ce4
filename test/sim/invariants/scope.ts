/** Which URLs a crawl takes in, by simple rules of the tests' own. */

import type { CrawlConfig } from '../../../shared/crawl/config.ts';
import { registrableDomain } from '../../../shared/url/registrable-domain.ts';

export interface SimpleScope {
  /** Of a link that was found at that depth. */
  accepts(url: string, depth: number): boolean;
  acceptsSeed(url: string): boolean;
}

export function scopeOf(config: CrawlConfig, seeds: readonly string[]): SimpleScope {
  const areaOf = AREAS[config.scope];
  const areas = areaOf && new Set(seeds.map(areaOf));
  const include = config.include.map((pattern) => new RegExp(pattern));
  const exclude = config.exclude.map((pattern) => new RegExp(pattern));
  const acceptsSeed = (url: string) =>
    url.length <= config.maxUrlLength && !exclude.some((pattern) => pattern.test(url));
  return {
    acceptsSeed,
    accepts: (url, depth) =>
      acceptsSeed(url) &&
      depth <= (config.maxDepth ?? Number.POSITIVE_INFINITY) &&
      (areas === undefined || areas.has((areaOf as (url: string) => string)(url))) &&
      (include.length === 0 || include.some((pattern) => pattern.test(url))),
  };
}

const AREAS: Record<CrawlConfig['scope'], ((url: string) => string) | undefined> = {
  any: undefined,
  page: (url) => url,
  prefix: (url) => {
    throw new Error(`Expected no world with the scope prefix, got one, and ${url}`);
  },
  host: (url) => new URL(url).host,
  domain: (url) => {
    const { hostname } = new URL(url);
    return registrableDomain(hostname) ?? hostname;
  },
};
