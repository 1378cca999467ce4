import { type HostKey, hostKey, isOfHost, pathOf } from '../url/host-key.ts';
import { domainOf } from '../url/registrable-domain.ts';
import type { ScopePreset } from './config.ts';

/** Whether a canonical URL lies within what a preset draws around the seeds. */
export type IsWithin = (url: string) => boolean;

export function createPreset(preset: ScopePreset, seeds: readonly string[]): IsWithin {
  return PRESETS[preset](seeds);
}

/** Whether a preset leaves any URL of a host to the crawl. */
export function createHostPreset(preset: ScopePreset, seeds: readonly string[]): (host: HostKey) => boolean {
  if (preset === 'any') return () => true;
  const areaOf = preset === 'domain' ? domainOf : (host: HostKey) => host;
  const areas = new Set(seeds.map((seed) => areaOf(hostKey(seed))));
  return (host) => areas.has(areaOf(host));
}

const PRESETS: Record<ScopePreset, (seeds: readonly string[]) => IsWithin> = {
  page: (seeds) => {
    const urls = new Set(seeds);
    return (url) => urls.has(url);
  },
  prefix: belowFolders,
  // At their default ports, http and https have the same host key.
  host: (seeds) => {
    const hosts = new Set(seeds.map(hostKey));
    // Most links of a page lead to one host: no text is made of theirs.
    let last: HostKey | undefined;
    return (url) => {
      if (last !== undefined && isOfHost(url, last)) return true;
      const host = hostKey(url);
      if (!hosts.has(host)) return false;
      last = host;
      return true;
    };
  },
  domain: (seeds) => {
    const domains = new Set(seeds.map((seed) => domainOf(hostKey(seed))));
    return (url) => domains.has(domainOf(hostKey(url)));
  },
  any: () => () => true,
};

/**
 * Below a seed's folder on the seed's host, with http and https as one: `/a/b.html` draws `/a/`, and so does
 * `/a/`.
 */
function belowFolders(seeds: readonly string[]): IsWithin {
  const foldersByHost = new Map<HostKey, string[]>();
  for (const seed of seeds) {
    const host = hostKey(seed);
    const folders = foldersByHost.get(host);
    if (folders) folders.push(folderOf(seed));
    else foldersByHost.set(host, [folderOf(seed)]);
  }
  for (const [host, folders] of foldersByHost) foldersByHost.set(host, outermost(folders));
  return (url) => {
    const folders = foldersByHost.get(hostKey(url));
    return folders !== undefined && isBelowOne(folders, pathOf(url));
  };
}

/** The path up to its last `/`, which stays: so `/a/` is not a prefix of `/ab`. */
function folderOf(url: string): string {
  const [path] = pathOf(url).split('?', 1) as [string];
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** Sorted by code units, without those that lie below another: no folder left is a prefix of the next. */
function outermost(folders: readonly string[]): string[] {
  const kept: string[] = [];
  for (const folder of folders.toSorted()) {
    const last = kept.at(-1);
    if (last === undefined || !folder.startsWith(last)) kept.push(folder);
  }
  return kept;
}

/**
 * Since none of the folders is a prefix of another, only the last one not after `path` can be a prefix of it.
 */
function isBelowOne(folders: readonly string[], path: string): boolean {
  let from = 0;
  let to = folders.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((folders[middle] as string) <= path) from = middle + 1;
    else to = middle;
  }
  const candidate = folders[from - 1];
  return candidate !== undefined && path.startsWith(candidate);
}
