/** Which URLs a crawl takes in, by simple rules of the tests' own. */

import type { CrawlConfig } from '../../shared/core/crawl/config.ts';
import { registrableDomain } from '../../shared/core/url/registrable-domain.ts';

export interface SimpleScope {
  /** Whether a link found at this depth is accepted. */
  accepts(url: string, depth: number): boolean;
  acceptsSeed(url: string): boolean;
  /** Whether the scope, patterns aside, contains some URL of the host. */
  hasHost(url: string): boolean;
}

export function scopeOf(config: CrawlConfig, seeds: readonly string[]): SimpleScope {
  const isInArea = AREAS[config.scope](seeds);
  const include = config.include.map((pattern) => new RegExp(pattern));
  const exclude = config.exclude.map((pattern) => new RegExp(pattern));
  const acceptsSeed = (url: string) =>
    url.length <= config.maxUrlLength && !exclude.some((pattern) => pattern.test(url));
  return {
    acceptsSeed,
    hasHost: AREAS[config.scope === 'prefix' || config.scope === 'page' ? 'host' : config.scope](seeds),
    accepts: (url, depth) =>
      acceptsSeed(url) &&
      depth <= (config.maxDepth ?? Number.POSITIVE_INFINITY) &&
      isInArea(url) &&
      !hasTrapShape(url, config) &&
      (include.length === 0 || include.some((pattern) => pattern.test(url))),
  };
}

const AREAS: Record<CrawlConfig['scope'], (seeds: readonly string[]) => (url: string) => boolean> = {
  any: () => () => true,
  page: (seeds) => (url) => seeds.includes(url),
  prefix: (seeds) => (url) =>
    seeds.some((seed) => isSame(hostOf, seed, url) && pathOf(url).startsWith(folderOf(seed))),
  host: (seeds) => (url) => seeds.some((seed) => isSame(hostOf, seed, url)),
  domain: (seeds) => (url) => seeds.some((seed) => isSame(domainOf, seed, url)),
};

const isSame = (partOf: (url: string) => string, a: string, b: string): boolean => partOf(a) === partOf(b);
const hostOf = (url: string): string => new URL(url).host;
const pathOf = (url: string): string => new URL(url).pathname;
const folderOf = (url: string): string => pathOf(url).replace(/[^/]*$/, '');

function domainOf(url: string): string {
  const { hostname } = new URL(url);
  return registrableDomain(hostname) ?? hostname;
}

const MAX_EQUAL_PARAMETERS = 3;
const MAX_PERIOD = 4;

/** A shape of URL that broken links grow into without end: links of it are left out. */
function hasTrapShape(
  url: string,
  { maxPathDepth, maxRepeatedSegments, maxQueryParameters }: CrawlConfig,
): boolean {
  const { pathname, search } = new URL(url);
  const segments = pathname.replace(/^\/|\/$/g, '').split('/');
  if (segments.length > maxPathDepth) return true;
  const parameters = search.slice(1).split('&');
  if (parameters.length > maxQueryParameters) return true;
  for (const parameter of parameters)
    if (parameters.filter((other) => other === parameter).length > MAX_EQUAL_PARAMETERS) return true;
  for (let period = 1; period <= MAX_PERIOD; period++)
    for (let from = 0; from + period * (maxRepeatedSegments + 1) <= segments.length; from++) {
      const repeated = segments.slice(from, from + period * (maxRepeatedSegments + 1));
      if (repeated.every((segment, i) => segment === repeated[i % period])) return true;
    }
  return false;
}
