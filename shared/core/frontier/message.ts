/** The messages between hosts: links, tokens, wake-ups, requests for robots.txt. */
import type { UrlKind } from '../url/url-kind.ts';
import type { LinkerSketch } from './linker-sketch.ts';

/** A URL to be merged into its host's ledger. */
export interface Link {
  /** Canonical. */
  readonly url: string;
  /** Hops from a seed; a seed has 0, and a redirect's target the depth of what redirected. */
  readonly depth: number;
  /** The URL of the page it was found on; none for a seed. */
  readonly via?: string;
  /** How many redirects in a row led here. */
  readonly redirects?: number;
  /** Given by the operator: it is fetched before all else. */
  readonly isSeed?: boolean;
  /** Its kind; none: a page. */
  readonly kind?: UrlKind;
  /** Its priority in a sitemap, as a level: 0 to 7, like about 2 ** level linking pages. */
  readonly level?: number;
  /** Domains that link to the URL's host, if the crawl counts them: the first link of a host has those of all (`linker-sketch.ts`). */
  readonly linkers?: LinkerSketch;
}

/** A link with all fields, set to undefined where it lacks them: V8 sees one hidden class. */
export function linkOf({ url, depth, via, redirects, isSeed, kind, level, linkers }: Link): Link {
  return { url, depth, via, redirects, isSeed, kind, level, linkers };
}

/** Links of one crawl, to whatever hosts. */
export interface OutLinks {
  readonly crawl: string;
  readonly links: readonly Link[];
}

/** A message to one host. */
export type Message =
  | { readonly kind: 'links'; readonly crawl: string; readonly links: readonly Link[] }
  /** `caution`: of the host's head. 1: it visits the host in small turns. 2: and announces URLs (`turn/caution.ts`). */
  | { readonly kind: 'token'; readonly crawl: string; readonly token: string; readonly caution?: 1 | 2 }
  /**
   * `resume`: the number of the resume (`CrawlRegistry.resume`, from 1 on) by which the operator wants even hosts set aside to
   * be tried again.
   */
  | { readonly kind: 'wake'; readonly crawl: string; readonly resume?: number }
  /**
   * `url`: of the host, which another host's robots.txt redirects to. Its rules are to be in this host's
   * head.
   */
  | { readonly kind: 'robots'; readonly crawl: string; readonly url: string };
