/**
 * One feature on one host: some resources below `/x/<name>/`, and what to link to so that a crawl finds them.
 */
import type { How, Reference, Resource } from '../resource.ts';

/** The host of a corner. */
export interface Site {
  /** `http://h3.test:8080`, without a slash at the end. */
  readonly origin: string;
  /** Position of the host in the web. */
  readonly index: number;
  /** Root page of another host of the web (of this one, if there is no other). */
  readonly elsewhere: string;
}

export interface Corner {
  readonly entries: readonly Reference[];
  /** By path and query in canonical form. Made when requested. */
  readonly resources: Readonly<Record<string, () => Resource>>;
  /** For corners without an end: what stands at a path below the corner's folder that `resources` lacks. */
  readonly further?: (path: string) => Resource | undefined;
}

export type MakeCorner = (site: Site) => Corner;

/** A reference to `path` on the site, written as such or as `written`. */
export function link(site: Site, path: string, written = path, how: How = 'a'): Reference {
  return { how, written, target: site.origin + path };
}

/** A reference that leads nowhere. */
export function nowhere(written: string): Reference {
  return { how: 'a', written };
}
