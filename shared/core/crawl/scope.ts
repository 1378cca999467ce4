/** Which URLs belong to a crawl. Pure; made once per crawl and worker, requested every link. */

import { blockedPortOfUrl } from '../url/blocked-ports.ts';
import { type HostKey, hostKey } from '../url/host-key.ts';
import type { CrawlConfig } from './crawl-options.ts';
import { createDomainCheck, createUrlDomainCheck } from './domains.ts';
import { createHostRules, type HostRulesConfig } from './host-rules.ts';
import { createHostPreset, createPreset } from './scope-presets.ts';
import { ruleInWords } from './scope-words.ts';
import type { Sites } from './sites.ts';
import type { SkipReason } from './skip-reason.ts';
import { type TrapConfig, trapReason } from './traps.ts';

export interface Scope {
  /**
   * Undefined for a URL (canonical) that belongs to the crawl, else the first reason against it. A seed belongs
   * by being one: neither preset nor traps nor `include` are checked; `exclude`, `domains`, `maxDepth`,
   * `maxUrlLength` and ports hold for it too.
   */
  check(url: string, depth: number, isSeed?: boolean): SkipReason | undefined;
  /** Returns the verdict of {@link Scope.check}, with the rule that decided in words, for people. */
  explain(url: string, depth: number, isSeed?: boolean): ScopeVerdict;
  /**
   * Whether the preset leaves any page of the host to the crawl. If not, the host is visited for page requisites alone.
   */
  hasHost(host: HostKey): boolean;
}

export interface ScopeVerdict {
  /** Undefined for a URL that belongs to the crawl. */
  readonly reason?: SkipReason;
  readonly rule: string;
}

/** Without a trap setting there is no bound. */
export type ScopeConfig = Pick<CrawlConfig, 'scope' | 'maxUrlLength'> &
  HostRulesConfig &
  Partial<TrapConfig & Pick<CrawlConfig, 'allowPorts' | 'domains'>>;

/**
 * `scopeSeeds`: the canonical URLs around which the preset is drawn, besides those of the sites. A check takes the same
 * time for one of them and for 100,000, but for a binary search in `prefix`; the patterns take what they take. Throws
 * InvalidConfig for a pattern that is not a regular expression.
 */
export function createScope(config: ScopeConfig, scopeSeeds: readonly string[], sites?: Sites): Scope {
  const { maxUrlLength } = config;
  const rulesFor = createHostRules(config, sites);
  const { domains = [] } = config;
  const isInDomains = createUrlDomainCheck(domains);
  const isHostInDomains = createDomainCheck(domains);
  const around = sites ? [...scopeSeeds, ...sites.urls] : scopeSeeds;
  const isHostOfSeeds = createHostPreset(config.scope, around);
  const isAroundSeeds = createPreset(config.scope, around);
  // The host of a site is the same with `www.`: thousands of redirects there need not widen the scope one by one.
  const hostSites = config.scope === 'host' ? sites : undefined;
  const isHostInPreset = (host: HostKey) => isHostOfSeeds(host) || hostSites?.has(host) === true;
  const isInPreset = (url: string) => isAroundSeeds(url) || hostSites?.has(hostKey(url)) === true;
  const traps: TrapConfig = {
    maxPathDepth: config.maxPathDepth ?? Infinity,
    maxRepeatedSegments: config.maxRepeatedSegments ?? Infinity,
    maxQueryParameters: config.maxQueryParameters ?? Infinity,
  };

  function check(url: string, depth: number, isSeed = false): SkipReason | undefined {
    if (url.length > maxUrlLength) return 'urlLength';
    if (!isInDomains(url)) return 'domain';
    const { maxDepth, include, exclude } = rulesFor(url);
    if (depth > maxDepth) return 'depth';
    if (!isSeed) {
      if (!isInPreset(url)) return 'scope';
      const trap = trapReason(url, traps);
      if (trap !== undefined) return trap;
    }
    if (blockedPortOfUrl(url, config.allowPorts) !== undefined) return 'port';
    if (exclude.length > 0 && exclude.some(({ regExp }) => regExp.test(url))) return 'exclude';
    if (!isSeed && include.length > 0 && !include.some(({ regExp }) => regExp.test(url))) return 'include';
    return undefined;
  }

  return {
    check,
    hasHost: (host) => isHostInDomains(host) && isHostInPreset(host),
    explain(url, depth, isSeed = false) {
      const reason = check(url, depth, isSeed);
      const facts = {
        url,
        depth,
        isSeed,
        preset: config.scope,
        maxUrlLength,
        domains,
        rules: rulesFor(url),
        traps,
      };
      return { ...(reason !== undefined && { reason }), rule: ruleInWords(reason, facts) };
    },
  };
}
