/** The part of the scope that `overrides` and sites may say otherwise for some hosts: patterns and depth. */
import QuickLRU from 'quick-lru';
import { type HostKey, hostKey } from '../url/host-key.ts';
import type { CrawlConfig, HostOverride } from './crawl-options.ts';
import { compileHosts } from './host-config.ts';
import { compilePatterns } from './scope-patterns.ts';
import type { Sites } from './sites.ts';

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
 * The rules for a URL's host: those for all, then the overrides' that mean it, then its site's. Patterns add up; of
 * several `maxDepth` the last one counts. Where no override and no site says anything of them, nothing is looked up.
 * Throws InvalidConfig for a pattern that is not a regular expression.
 */
export function createHostRules(config: HostRulesConfig, sites?: Sites): (url: string) => HostRules {
  const { include, exclude, maxDepth = Infinity, overrides = [] } = config;
  const changingSites = sites?.all.some(hasRules) ? sites : undefined;
  const forAll = { include: compile('include', include), exclude: compile('exclude', exclude), maxDepth };
  const changing = overrides
    .filter(hasRules)
    .map((override) => ({ means: compileHosts(override.hosts), ...compileRules(override) }));
  if (changing.length === 0 && !changingSites) return () => forAll;

  const byHost = new QuickLRU<HostKey, HostRules>({ maxSize: MAX_HOSTS });
  return (url) => {
    const host = hostKey(url);
    const known = byHost.get(host);
    if (known !== undefined) return known;
    const site = changingSites?.of(host);
    const ofSite = site && hasRules(site) ? [compileRules(site)] : [];
    const matching = [...changing.filter(({ means }) => means(host)), ...ofSite];
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

type OwnRules = Pick<HostOverride, 'include' | 'exclude' | 'maxDepth'>;

const hasRules = ({ include, exclude, maxDepth }: OwnRules): boolean =>
  include !== undefined || exclude !== undefined || maxDepth !== undefined;

const compileRules = ({ include = [], exclude = [], maxDepth }: OwnRules) => ({
  include: compile('include', include),
  exclude: compile('exclude', exclude),
  maxDepth,
});

function compile(key: 'include' | 'exclude', patterns: readonly string[]): Pattern[] {
  return compilePatterns(key, patterns).map((regExp, i) => ({ text: patterns[i] as string, regExp }));
}
