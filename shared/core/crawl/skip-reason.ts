import type { TrapReason } from './traps.ts';

/** Why a URL does not belong to the crawl. */
export type SkipReason =
  /** Outside what the preset draws around the seeds. */
  | 'scope'
  /** Outside of `domains`. */
  | 'domain'
  /** There are `include` patterns, and none matches. */
  | 'include'
  /** An `exclude` pattern matches. */
  | 'exclude'
  /** More hops from a seed than `maxDepth`. */
  | 'depth'
  /** Longer than `maxUrlLength` characters. */
  | 'urlLength'
  /** Browsers refuse its port (`url/blocked-ports.ts`), and `allowPorts` does not name it. */
  | 'port'
  | TrapReason;

/**
 * Why a link is left out: because of its URL, of the page it was found on, or of the host it leads to.
 */
export type LinkSkip =
  | SkipReason
  /** Its URL's template has added nothing new for long (`frontier/template-watch.ts`). */
  | 'trap'
  /** Its page or itself says so. */
  | 'nofollow'
  /** The folder's listing that it was found on, in another order (`url/listing-order.ts`). */
  | 'listingOrder'
  /** Its page is nearly the same as another one (`nearDuplicates`). */
  | 'nearDuplicate'
  /** A sitemap says that the URL was not modified since `modifiedSince`. */
  | 'notModified'
  /** Its host has had `maxPagesPerHost` pages. */
  | 'pagesPerHost'
  /** The template of its URL has had `maxPagesPerTemplate` pages of its host. */
  | 'pagesPerTemplate'
  /** Its registrable domain has had `maxHostsPerDomain` hosts, and its host is none of them. */
  | 'hostsPerDomain'
  /** It has no canonical form. */
  | 'badUrl'
  /** After more than `maxRedirects` redirects in a row. */
  | 'redirects'
  /** A route behind `#`: its page is not rendered, or such routes of it show nothing of their own. */
  | 'hashRoute'
  /** Beyond `maxLinksPerPage`. */
  | 'linksPerPage'
  /** A part of a part of a part of a page. */
  | 'requisiteHops'
  /** A sitemap of an index of an index of an index. */
  | 'sitemapNesting'
  /** A sitemap beyond `maxSitemapsPerHost`. */
  | 'sitemapsPerHost';
