/** Which URLs belong to a crawl. Pure; made once per crawl and worker, asked for every link. */
import type { CrawlConfig } from './config.ts';
import { compilePatterns } from './scope-patterns.ts';
import { createPreset } from './scope-presets.ts';

/** Why a URL does not belong to the crawl. */
export type SkipReason =
  /** Outside what the preset draws around the seeds. */
  | 'scope'
  /** There are `include` patterns, and none matches. */
  | 'include'
  /** An `exclude` pattern matches. */
  | 'exclude'
  /** More hops from a seed than `maxDepth`. */
  | 'depth'
  /** Longer than `maxUrlLength` characters. */
  | 'urlLength';

export interface Scope {
  /**
   * Undefined for a URL (canonical) that belongs to the crawl, else the first reason against it. A seed belongs by being
   * one: neither preset nor `include` is asked; `exclude`, `maxDepth` and `maxUrlLength` hold for it too.
   */
  check(url: string, depth: number, isSeed?: boolean): SkipReason | undefined;
}

export type ScopeConfig = Pick<CrawlConfig, 'scope' | 'include' | 'exclude' | 'maxDepth' | 'maxUrlLength'>;

/**
 * `scopeSeeds`: the canonical URLs that the preset is drawn around. A check takes the same time for one of them and for
 * 100,000, but for a binary search in `prefix`; the patterns take what they take.
 * Throws InvalidConfig for a pattern that is no regular expression.
 */
export function createScope(config: ScopeConfig, scopeSeeds: readonly string[]): Scope {
  const { maxDepth = Infinity, maxUrlLength } = config;
  const include = compilePatterns('include', config.include);
  const exclude = compilePatterns('exclude', config.exclude);
  const isInPreset = createPreset(config.scope, scopeSeeds);

  return {
    check(url, depth, isSeed = false) {
      if (url.length > maxUrlLength) return 'urlLength';
      if (depth > maxDepth) return 'depth';
      if (!isSeed && !isInPreset(url)) return 'scope';
      if (exclude.some((pattern) => pattern.test(url))) return 'exclude';
      if (!isSeed && include.length > 0 && !include.some((pattern) => pattern.test(url))) return 'include';
      return undefined;
    },
  };
}
