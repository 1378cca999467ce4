/** Settings that are other ones for some hosts: the `overrides` of a crawl. */
import type { HostKey } from '../url/host-key.ts';
import { compileHostPattern } from '../url/host-pattern.ts';
import type { CrawlConfig, HostOverride } from './config.ts';

/** Hosts remembered for each configuration. Beyond this number all are forgotten and computed again. */
const MAX_HOSTS = 10_000;

interface Overrides {
  /** For each override, whether it matches a host. */
  readonly matches: readonly ((host: HostKey) => boolean)[];
  readonly byHost: Map<HostKey, CrawlConfig>;
  /** Hosts that the same overrides mean have the same object. */
  readonly byMatches: Map<string, CrawlConfig>;
}

const known = new WeakMap<CrawlConfig, Overrides>();

/**
 * The configuration that holds for a host: the overrides that mean it are laid over `config` in their order.
 * Where none does, that is `config` itself, and the same object each time for hosts that the same overrides
 * mean (as long as they are remembered). `include` and `exclude` stay as they are: what overrides say of them
 * is the scope's (`scope.ts`).
 */
export function hostConfig(config: CrawlConfig, host: HostKey): CrawlConfig {
  if (config.overrides.length === 0) return config;
  const overrides = known.get(config) ?? remember(config);
  const { byHost } = overrides;
  let found = byHost.get(host);
  if (found === undefined) {
    found = lay(config, overrides, host);
    if (byHost.size >= MAX_HOSTS) byHost.clear();
    byHost.set(host, found);
  }
  return found;
}

/**
 * Whether one of the patterns of an override's `hosts` means the host. A host at a port of its own has it in
 * its name, so `example.org` is not `example.org:8080`; a star may stand for a port too.
 */
export function compileHosts(patterns: readonly string[]): (host: HostKey) => boolean {
  const compiled = patterns.map(compileHostPattern);
  return (host) => compiled.some((matches) => matches(host));
}

function remember(config: CrawlConfig): Overrides {
  const matches = config.overrides.map(({ hosts }) => compileHosts(hosts));
  const overrides = { matches, byHost: new Map(), byMatches: new Map() };
  known.set(config, overrides);
  return overrides;
}

function lay(config: CrawlConfig, { matches, byMatches }: Overrides, host: HostKey): CrawlConfig {
  const matching = [...matches.keys()].filter((i) => matches[i]?.(host));
  if (matching.length === 0) return config;
  const key = matching.join();
  const made = byMatches.get(key);
  if (made !== undefined) return made;
  const laid = Object.assign({}, config, ...matching.map((i) => settingsOf(config.overrides[i])));
  if (byMatches.size >= MAX_HOSTS) byMatches.clear();
  byMatches.set(key, laid);
  return laid;
}

/** What an override sets. A setting that is there without a value says nothing. */
function settingsOf(override: HostOverride | undefined): Partial<CrawlConfig> {
  const { hosts, include, exclude, ...settings } = override ?? { hosts: [] };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
