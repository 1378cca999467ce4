/** The part of the scope that `overrides` may say otherwise for some hosts: patterns and depth. */
import QuickLRU from 'quick-lru';
import { type HostKey, hostKey } from '../url/host-key.ts';
import type { CrawlConfig } from './crawl-options.ts';
import { compileHosts } from './host-config.ts';
import { compilePatterns } from './scope-patterns.ts';

/** A pattern as the operator wrote it, and what it is. */
export interface Pattern {
  readonly text: string;
  readonly regExp: RegExp;
}

/** The rules for a host. */
export interface HostRules {
  readonly include: readonly Pattern[];
  readonly exclude: readonly Pattern[];
  readonly maxDepth: number;
}

export type HostRulesConfig = Pick<CrawlConfig, 'include' | 'exclude' | 'maxDepth'> &
  Partial<Pick<CrawlConfig, 'overrides'>>;

/** Hosts remembered, those requested last. */
const MAX_HOSTS = 10_000;

/**
 * The rules for a URL's host: those for all, then the overrides' that mean it. Patterns add up; of several
 * `maxDepth` the last one counts. Where no override says anything of them, nothing is looked up. Throws
 * InvalidConfig for a pattern that is no regular expression.
 */
export function createHostRules(config: HostRulesConfig): (url: string) => HostRules {
  const { include, exclude, maxDepth = Infinity, overrides = [] } = config;
  const forAll = { include: compile('include', include), exclude: compile('exclude', exclude), maxDepth };
  const changing = overrides
    .filter((override) => override.include || override.exclude || override.maxDepth !== undefined)
    .map((override) => ({
      means: compileHosts(override.hosts),
      include: compile('include', override.include ?? []),
      exclude: compile('exclude', override.exclude ?? []),
      maxDepth: override.maxDepth,
    }));
  if (changing.length === 0) return () => forAll;

  const byHost = new QuickLRU<HostKey, HostRules>({ maxSize: MAX_HOSTS });
  return (url) => {
    const host = hostKey(url);
    const known = byHost.get(host);
    if (known !== undefined) return known;
    const matching = changing.filter(({ means }) => means(host));
    const rules = matching.reduce<HostRules>(
      (all, more) => ({
        include: [...all.include, ...more.include],
        exclude: [...all.exclude, ...more.exclude],
        maxDepth: more.maxDepth ?? all.maxDepth,
      }),
      forAll,
    );
    byHost.set(host, rules);
    return rules;
  };
}

function compile(key: 'include' | 'exclude', patterns: readonly string[]): Pattern[] {
  return compilePatterns(key, patterns).map((regExp, i) => ({ text: patterns[i] as string, regExp }));
}
