/** Settings that are other ones for some hosts: the `overrides` of a crawl. */
import QuickLRU from 'quick-lru';
import type { HostKey } from '../url/host-key.ts';
import { compileHostPattern } from '../url/host-pattern.ts';
import type { CrawlConfig, HostConfig, HostOverride } from './config.ts';
import { withWeek } from './host-hours.ts';
import { type Site, type Sites, settingsOfSite } from './sites.ts';

/** Hosts remembered for a configuration, those requested last. */
const MAX_HOSTS = 10_000;

/**
 * Returns a function that gives the configuration of a host: the overrides that match the host are applied to
 * `config`, in their order, and then those of the host's site. If none matches, returns `config` itself. Hosts that
 * the same overrides mean have the same object, as long as they are remembered. `include` and `exclude` stay as they
 * are: what overrides say about them is the scope's (`scope.ts`).
 */
export function createHostConfigs(config: CrawlConfig, sites?: Sites): (host: HostKey) => HostConfig {
  const overrides = [...withoutPauses(config), ...config.overrides];
  if (overrides.length === 0 && !sites) return () => config;
  const matches = overrides.map(({ hosts }) => compileHosts(hosts));
  const byHost = new QuickLRU<HostKey, HostConfig>({ maxSize: MAX_HOSTS });
  const byMatches = new QuickLRU<string, HostConfig>({ maxSize: MAX_HOSTS });

  function configOf(host: HostKey): HostConfig {
    const matching = [...matches.keys()].filter((i) => matches[i]?.(host));
    const ofSite = settingsIn(sites?.of(host));
    if (matching.length === 0 && ofSite === undefined) return config;
    const key = JSON.stringify([matching, ofSite]);
    const known = byMatches.get(key);
    if (known !== undefined) return known;
    const made: HostConfig = withWeek(
      Object.assign({}, config, ...matching.map((i) => settingsOf(overrides[i])), ofSite),
    );
    byMatches.set(key, made);
    return made;
  }

  return (host) => {
    let found = byHost.get(host);
    if (found === undefined) {
      found = configOf(host);
      byHost.set(host, found);
    }
    return found;
  };
}

/** Undefined for a site without settings. An interval replaces a schedule, and a schedule an interval. */
function settingsIn(site: Site | undefined): Partial<HostConfig> | undefined {
  const settings = site && settingsOfSite(site);
  if (!settings || Object.keys(settings).length === 0) return undefined;
  const { recrawlEveryMs, recrawlSchedule }: Partial<Site> = settings;
  const hasOwnTimes = (recrawlEveryMs ?? recrawlSchedule) !== undefined;
  return hasOwnTimes ? { recrawlEveryMs, recrawlSchedule, ...settings } : settings;
}

/** Hosts whose pages come from a folder serve nobody else. An override of the operator comes after it. */
const withoutPauses = ({ fromFolder }: CrawlConfig): HostOverride[] =>
  fromFolder.length === 0
    ? []
    : [{ hosts: fromFolder.map(([host]) => host), delayMs: 0, adaptive: false, maxCrawlDelayMs: 0 }];

/**
 * Whether one of the patterns of an override's `hosts` means the host. A host at a port of its own has it in
 * its name, so `example.org` is not `example.org:8080`; a star may match a port too.
 */
export function compileHosts(patterns: readonly string[]): (host: HostKey) => boolean {
  const compiled = patterns.map(compileHostPattern);
  return (host) => compiled.some((matches) => matches(host));
}

/** Returns the settings of an override. A setting that is there without a value is ignored. */
function settingsOf(override: HostOverride | undefined): Partial<HostConfig> {
  const { hosts, include, exclude, ...settings } = override ?? { hosts: [] };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
