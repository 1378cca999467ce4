/** The sites of a crawl that is begun with a list of them: each may have settings of its own, and a group. */
import { hash } from 'node:crypto';
import { canonicalize } from '../url/canonical.ts';
import { type HostKey, hostKey, hostName } from '../url/host-key.ts';
import type { HostOverride } from './crawl-options.ts';
import type { SiteSettingKey } from './settings/override-settings.ts';

/** As many URLs fit into a crawl's record (`CrawlRecord.scopeSeeds`). */
export const MAX_SITES = 15_000;

/** A line of the list. Its settings are the same as in `overrides`. */
export interface SiteOptions extends Pick<HostOverride, SiteSettingKey> {
  /** Where the site begins: its seed. The site is the host of this URL. */
  url: string;
  /** A name by which sites are listed and exported together. */
  group?: string;
  /** When its pages are fetched again, in a crawl that recrawls. See {@link CrawlOptions.recrawlEveryMs}. */
  recrawlEveryMs?: number;
  /** See {@link CrawlOptions.recrawlSchedule}. */
  recrawlSchedule?: string;
  /** See {@link CrawlOptions.recrawlTimeZone}. */
  recrawlTimeZone?: string;
}

/** A site of a crawl. `url` is canonical. */
export type Site = Readonly<SiteOptions> & {
  /** The site was removed from the list: its pages are not fetched again. */
  readonly isRemoved?: true;
};

/** Names the list of sites that a crawl has now. Different lists have different values of `id`. */
export interface SitesRef {
  readonly id: string;
  /** Without those that were removed. */
  readonly count: number;
}

export const siteHost = ({ url }: Pick<Site, 'url'>): HostKey => hostKey(url);

/** The sites of a crawl, found by host in constant time, whatever their number. */
export class Sites {
  readonly all: readonly Site[];
  /** The least polite values of all sites together, and all different hours: for bounds that hold for each host. */
  readonly extremes: readonly HostOverride[];
  readonly hasPatterns: boolean;
  readonly #byHost = new Map<HostKey, Site>();

  constructor(all: readonly Site[]) {
    this.all = all;
    for (const site of all) this.#byHost.set(siteHost(site), site);
    this.extremes = extremesOf(all);
    this.hasPatterns = all.some(({ include = [], exclude = [] }) => include.length + exclude.length > 0);
  }

  /** The URLs of the sites that are still in the list. */
  get urls(): string[] {
    return this.all.flatMap(({ url, isRemoved }) => (isRemoved ? [] : url));
  }

  /** Whether this is the host of a site, with or without `www.`. */
  has(host: HostKey): boolean {
    const site = this.#byHost.get(host) ?? this.#byHost.get(withOtherPrefix(host));
    return site !== undefined && !site.isRemoved;
  }

  /**
   * The site that a host belongs to: the one whose host it is, with or without `www.`; otherwise the nearest one
   * above it.
   */
  of(host: HostKey): Site | undefined {
    const found = this.#byHost.get(host) ?? this.#byHost.get(withOtherPrefix(host));
    if (found || host.startsWith('[')) return found;
    // No name has more labels than 128.
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      const above = host.slice(dot + 1);
      const site = this.#byHost.get(above) ?? this.#byHost.get(`www.${above}`);
      if (site) return site;
    }
    return undefined;
  }
}

const withOtherPrefix = (host: HostKey): HostKey => (host.startsWith('www.') ? host.slice(4) : `www.${host}`);

/** The settings of a site, as an override of its hosts. Patterns are the scope's. */
export function settingsOfSite(site: Site): Partial<Omit<HostOverride, 'hosts'>> {
  const { url: _, group: __, isRemoved: ___, include: ____, exclude: _____, ...settings } = site;
  return settings;
}

function extremesOf(sites: readonly Site[]): HostOverride[] {
  const all = (key: 'delayMs' | 'maxCrawlDelayMs' | 'maxBytesPerSecondPerHost') =>
    sites.flatMap(({ [key]: value }) => value ?? []);
  const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b));
  const delays = all('delayMs');
  const crawlDelays = all('maxCrawlDelayMs');
  const rates = all('maxBytesPerSecondPerHost');
  const slowest: HostOverride = {
    hosts: [],
    ...(delays.length > 0 && { delayMs: most(delays) }),
    ...(crawlDelays.length > 0 && { maxCrawlDelayMs: most(crawlDelays) }),
    ...(rates.length > 0 && { maxBytesPerSecondPerHost: rates.reduce((a, b) => Math.min(a, b)) }),
  };
  const weeks = new Map<string, HostOverride>();
  for (const { hours, days, timeZone } of sites)
    if (hours !== undefined || days !== undefined)
      weeks.set(JSON.stringify([hours, days, timeZone]), {
        hosts: [],
        ...(hours !== undefined && { hours }),
        ...(days !== undefined && { days }),
        ...(timeZone !== undefined && { timeZone }),
      });
  return [...(Object.keys(slowest).length > 1 ? [slowest] : []), ...weeks.values()];
}

/** The changes that a new list makes: hosts, in the order of the lists. */
export interface SiteChanges {
  readonly added: readonly HostKey[];
  /** Their settings or groups. */
  readonly changed: readonly HostKey[];
  readonly removed: readonly HostKey[];
}

/** Returns the crawl's list after `next` replaced `before`, and the differences. */
export function replaceSites(
  before: readonly Site[],
  next: readonly Site[],
): { readonly sites: readonly Site[]; readonly changes: SiteChanges } {
  const old = new Map(before.map((site) => [siteHost(site), site]));
  const kept = new Set(next.map(siteHost));
  const gone = before.filter((site) => !kept.has(siteHost(site)));
  const isNew = (site: Site) => (old.get(siteHost(site))?.isRemoved ?? !old.has(siteHost(site))) === true;
  const hosts = (some: readonly Site[]) => some.map(siteHost);
  return {
    sites: [...next, ...gone.map((site) => ({ url: site.url, isRemoved: true as const }))],
    changes: {
      added: hosts(next.filter(isNew)),
      changed: hosts(
        next.filter((site) => !isNew(site) && sorted(old.get(siteHost(site)) as Site) !== sorted(site)),
      ),
      removed: hosts(gone.filter(({ isRemoved }) => !isRemoved)),
    },
  };
}

/** Removed sites that are named. */
const MAX_NAMED = 20;

/** The changes in a line, for people. */
export function siteChangesText({ added, changed, removed }: SiteChanges): string {
  const words = Object.entries({ added, changed, removed });
  const said = words.flatMap(([word, hosts]) => (hosts.length > 0 ? [`${hosts.length} ${word}`] : []));
  if (said.length === 0) return 'Sites: nothing has changed';
  const named = removed.slice(0, MAX_NAMED).join(', ');
  const more = removed.length > MAX_NAMED ? `, and ${removed.length - MAX_NAMED} more` : '';
  return `Sites: ${said.join(', ')}${removed.length > 0 ? `; not visited any more: ${named}${more}` : ''}`;
}

const sorted = (site: Site): string =>
  JSON.stringify(Object.entries(site).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The list as it is stored, and its name. */
export function encodeSites(sites: readonly Site[]): { readonly ref: SitesRef; readonly json: string } {
  const json = JSON.stringify(sites);
  const count = sites.filter(({ isRemoved }) => !isRemoved).length;
  return { ref: { id: hash('sha256', json).slice(0, 16), count }, json };
}

export const decodeSites = (json: string): readonly Site[] => JSON.parse(json);

/** The canonical URL of a site's line; undefined for one that has none. */
export const canonicalSite = (url: string): string | undefined => {
  const canonical = canonicalize(url);
  return canonical === undefined || hostName(hostKey(canonical)) === '' ? undefined : canonical;
};
