/**
 * The features of a generated web besides plain pages. A feature that is on appears on about a third of the
 * hosts.
 */
export interface Features {
  /** Hosts with rules, without robots.txt, and with robots.txt that redirects or fails. Off: none has one. */
  readonly robots: boolean;
  /** `Crawl-delay` of 10 to 50 ms on some hosts with rules. */
  readonly crawlDelay: boolean;
  /**
   * 301 to 308, chains, loops, an endless one, to other hosts, to disallowed URLs, odd and missing
   * `Location`.
   */
  readonly redirects: boolean;
  /** 404, 410, 500 forever; 503 that passes. */
  readonly errors: boolean;
  /** 503 and 429 with `Retry-After` of 1 s, as seconds and as a date, then 200. */
  readonly retryAfter: boolean;
  /** One body under several URLs. */
  readonly duplicates: boolean;
  /** One URL written in many ways. */
  readonly spellings: boolean;
  /** A calendar, an ever-deeper path, session ids. Off by default: no crawl of them ends by itself. */
  readonly traps: boolean;
  /** Some hosts take 15 to 40 ms to answer. */
  readonly slow: boolean;
  /** Connections closed before the head and within the body, garbage, an endless head. */
  readonly broken: boolean;
  /** A URL that accepts the request and never answers: costs each try a time-out. */
  readonly neverAnswers: boolean;
  readonly charsets: boolean;
  /**
   * gzip, br, zstd, deflate (with and without zlib's wrapper), chunked, and a body ended by the connection.
   */
  readonly codings: boolean;
  /** PDF, image, text, JSON, script and style sheet: what looks like a link inside is none. */
  readonly types: boolean;
  readonly base: boolean;
  readonly refresh: boolean;
  /** Frame sets and inline frames. */
  readonly frames: boolean;
  readonly area: boolean;
  /** URLs in comments, scripts, text areas and forms, which must never be requested. */
  readonly decoys: boolean;
  /** Links to `outside.example`, which is no part of the web. */
  readonly outside: boolean;
  /** mailto, javascript, data, ftp and tel links. */
  readonly schemes: boolean;
  /** Links that no URL parser takes. */
  readonly malformed: boolean;
  /** `rel=nofollow` links to pages that nothing else links to. */
  readonly nofollow: boolean;
  /** A page with 5,000 links to 40 URLs. */
  readonly manyLinks: boolean;
  /**
   * 2 MB with links at both ends; on one host, 20 MiB (beyond a limit of 16 MiB) with a link at the start.
   */
  readonly largeBodies: boolean;
  readonly emptyBodies: boolean;
}

/** Everything but traps. */
export const FULL: Features = {
  robots: true,
  crawlDelay: true,
  redirects: true,
  errors: true,
  retryAfter: true,
  duplicates: true,
  spellings: true,
  traps: false,
  slow: true,
  broken: true,
  neverAnswers: true,
  charsets: true,
  codings: true,
  types: true,
  base: true,
  refresh: true,
  frames: true,
  area: true,
  decoys: true,
  outside: true,
  schemes: true,
  malformed: true,
  nofollow: true,
  manyLinks: true,
  largeBodies: true,
  emptyBodies: true,
};

/** Pages with plain links and no robots.txt. */
export const PLAIN: Features = Object.fromEntries(
  Object.keys(FULL).map((name) => [name, false]),
) as unknown as Features;
