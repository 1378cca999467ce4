/**
 * A crawl's settings as an operator writes them, documented for the editor. `config.ts` checks them and fills
 * in the defaults.
 */

/** Which links belong to the crawl. */
export type ScopePreset = 'page' | 'prefix' | 'host' | 'domain' | 'any';

/** Rules that treat two spellings of a URL as one, beyond the standards. */
export interface UrlRuleOptions {
  /**
   * Drops parameters that only say where a visitor came from, such as `utm_source` and `gclid`.
   * @default true
   */
  trackingParameters?: boolean;
  /**
   * Drops session ids, such as `;jsessionid=` and `PHPSESSID`. With them, each visit would find every page
   * under new URLs.
   * @default true
   */
  sessionParameters?: boolean;
  /**
   * Sorts the query's parameters. Some sites answer by their order.
   * @default false
   */
  sortQuery?: boolean;
  /**
   * Treats `/a/index.html` as `/a/`. Servers need not answer both alike.
   * @default false
   */
  indexPages?: boolean;
}

/** Settings for some hosts. If several overrides match a host, the last one applies. */
export interface OverrideOptions {
  /**
   * Host names. `*` matches one or more labels: `*.example.org`. A port that is not the default belongs to
   * the name.
   */
  hosts: string[];
  /** See {@link CrawlOptions.delayMs}. */
  delayMs?: number;
  /** See {@link CrawlOptions.adaptive}. */
  adaptive?: boolean;
  /** See {@link CrawlOptions.maxCrawlDelayMs}. */
  maxCrawlDelayMs?: number;
  /** See {@link CrawlOptions.perHost}. */
  perHost?: number;
  /** See {@link CrawlOptions.maxBytesPerSecondPerHost}. */
  maxBytesPerSecondPerHost?: number;
  /** See {@link CrawlOptions.robots}. */
  robots?: 'obey' | 'ignore';
  /** See {@link CrawlOptions.maxPagesPerHost}. */
  maxPagesPerHost?: number;
  /** See {@link CrawlOptions.maxPagesPerTemplate}. */
  maxPagesPerTemplate?: number;
  /** See {@link CrawlOptions.maxDepth}. */
  maxDepth?: number;
  /** See {@link CrawlOptions.maxBodyBytes}. */
  maxBodyBytes?: number;
  /** See {@link CrawlOptions.importance}. */
  importance?: number;
  /**
   * The hours in which requests to the hosts are allowed, each range of at least 15 minutes: `22:00-06:00`,
   * `9-12,14-18`. All by default.
   */
  hours?: string;
  /**
   * The days on which requests are allowed: `mon-fri`, `sat,sun`. A range of hours over midnight belongs to the day on
   * which it begins. All by default.
   */
  days?: string;
  /** The time zone of `hours` and `days`, such as `Europe/Berlin`. UTC by default. */
  timeZone?: string;
  /** Applies besides the patterns for all hosts. See {@link CrawlOptions.include}. */
  include?: string[];
  /** Applies besides the patterns for all hosts. See {@link CrawlOptions.exclude}. */
  exclude?: string[];
}

/** A cookie that is sent. */
export interface CookieOptions {
  /** Without a dot before it. */
  domain: string;
  /** Sends it to subdomains of the domain too. */
  subdomains?: boolean;
  /** `/` if there is none. */
  path?: string;
  /** Sends it by https only. */
  secure?: boolean;
  /** When it expires: ms since the epoch. */
  expiresAt?: number;
  name: string;
  value: string;
}

/** A certificate of the crawler. */
export interface ClientCertificateOptions {
  /** Patterns of hosts that may request it; `seeds` for the origins of the seeds. */
  hosts: string[];
  /** PEM: the certificate, then the intermediate ones. */
  certificate: string;
  /** PEM, not encrypted. */
  key: string;
}

/** A proxy, and the hosts that are reached by it. */
export interface ProxyOptions {
  /** `http://user:password@proxy.example:8080`, or https, socks5, socks5h; `direct` for no proxy. */
  url: string;
  /** Patterns of hosts, and CIDR blocks of addresses. All hosts if there are none. */
  hosts?: string[];
  /** Only URLs of this scheme. */
  scheme?: 'http' | 'https';
}

/** The identity that signs the requests of a crawl, so that sites can verify the crawler (Web Bot Auth). */
export interface IdentityOptions {
  /**
   * The https origin where the public keys are published, such as `https://crawler.example.org`. Not needed if the key's
   * file names it.
   */
  agent?: string;
  /**
   * A file that `strand identity create` has made, or the private key as JSON Web Key. A key that is given as such is not
   * kept with the crawl: give it again when you resume it.
   */
  key: string | Record<string, unknown>;
}

/** Durations are milliseconds, sizes are bytes. */
export interface CrawlOptions {
  /**
   * Which links belong to the crawl: none (`page`), below a seed's folder (`prefix`), the same host (`host`),
   * the same registrable domain (`domain`), or all (`any`).
   * @default 'host'
   */
  scope?: ScopePreset;
  /**
   * Regular expressions on canonical URLs. If there are any, a link must match one of them. Seeds are exempt.
   * @default []
   */
  include?: string[];
  /**
   * Regular expressions on canonical URLs. A URL that matches one is left out, also if it is a seed.
   * @default []
   */
  exclude?: string[];
  /**
   * Domains such as `example.org`: only hosts of these names and below them are requested, also for seeds, redirects
   * and requisites. Empty: any domain.
   * @default []
   */
  domains?: string[];
  /** Hops from a seed; 0 means the seeds alone. No limit by default. */
  maxDepth?: number;
  /**
   * Longer URLs are left out.
   * @default 2083
   */
  maxUrlLength?: number;
  /**
   * Further links of a page are left out and counted. Whatever the number, a page's links have 32 million
   * characters at most.
   * @default 100000
   */
  maxLinksPerPage?: number;
  /**
   * Also tries the folders of each link: `/a/b/c` gives `/a/b/`, `/a/` and `/`.
   * @default false
   */
  ascendPaths?: boolean;
  /** Rules that make two spellings of a URL one. */
  urlRules?: UrlRuleOptions;
  /**
   * Redirects in a row that are followed.
   * @default 10
   */
  maxRedirects?: number;

  /**
   * URLs with more path segments are left out, as probable traps.
   * @default 20
   */
  maxPathDepth?: number;
  /**
   * How often the same segments may follow each other in a path. `/a/b/a/b/` has 2.
   * @default 3
   */
  maxRepeatedSegments?: number;
  /**
   * URLs with more query parameters are left out, as probable traps.
   * @default 32
   */
  maxQueryParameters?: number;
  /**
   * After this many pages of a host, Strand closes groups of its URLs whose pages bring almost nothing new. 0
   * means never.
   * @default 100
   */
  trapAfterPages?: number;
  /**
   * The share of a group's last pages that must bring a new text or link, between 0 and 1. Below it, the
   * group is closed.
   * @default 0.05
   */
  trapMinNew?: number;

  /**
   * Does not follow links of pages that say `nofollow`, nor links with `rel=nofollow`.
   * @default true
   */
  obeyNofollow?: boolean;
  /**
   * The use that is made of the content. Sites may forbid a use (Content-Usage, Content-Signal, TDMRep, `noai`): pages for which
   * robots.txt does are not fetched; pages that do it themselves are archived, and kept from hooks, documents and
   * exports. Default: nothing is refused, and all is recorded.
   */
  purpose?: 'archive' | 'search' | 'ai-input' | 'train-ai' | 'research';
  /**
   * Languages by their codes (`['de', 'en']`). Pages whose main text is in another language are archived, and kept from hooks,
   * documents and exports; their links are followed. Pages whose language is unknown are used. Default: all languages.
   */
  languages?: string[];
  /**
   * Reads PDF and Office documents, and those of the project's modules: their links are followed, and hooks get their text.
   * Otherwise they are only archived.
   * @default true
   */
  readDocuments?: boolean;
  /**
   * Does not call `onPage` for pages that say `noindex`. They are archived.
   * @default true
   */
  obeyNoindex?: boolean;
  /**
   * If a page names another page as canonical, fetches that page and does not call `onPage` for the copy.
   * @default true
   */
  obeyCanonical?: boolean;
  /**
   * Requests a page that does not exist once from each host with 50 URLs or more. Pages with the same answer count as
   * gone, as with the status 404.
   * @default false
   */
  soft404?: boolean;
  /**
   * Compares pages whose URLs differ in numbers, ids or values of parameters, within one visit to their host. A page whose own
   * text is nearly the same as an earlier one's is marked (`duplicateOf`, `mark`); with `skip` its links are not followed, either, and it is
   * archived, and kept from hooks, documents and exports.
   * @default 'off'
   */
  nearDuplicates?: 'mark' | 'skip' | 'off';
  /**
   * Treats a meta refresh of at most 5 s as a redirect, otherwise as a link.
   * @default true
   */
  softRedirects?: boolean;
  /**
   * Also fetches images, styles, scripts, media and frames of pages, on any host, so that pages replay whole.
   * @default false
   */
  requisites?: boolean;

  /**
   * Which sitemaps are read: none (`off`), those that robots.txt names (`robots`), or else `/sitemap.xml` too
   * (`find`).
   * @default 'robots'
   */
  sitemaps?: 'off' | 'robots' | 'find';
  /**
   * Further sitemaps of a host are left out and counted.
   * @default 10000
   */
  maxSitemapsPerHost?: number;
  /**
   * URLs of sitemaps that are read as well.
   * @default []
   */
  sitemapUrls?: string[];
  /**
   * Leaves out URLs that their sitemap says were not modified since: `2026-01-31`, or with a time (ISO 8601).
   */
  modifiedSince?: string;
  /**
   * Follows the links of RSS and Atom feeds that pages name.
   * @default true
   */
  feeds?: boolean;

  /**
   * Fetches pages again, forever, and each as often as it seems to change. `changes`: as few changes as possible
   * remain unseen; `freshness`: as many copies as possible are up to date, and pages that change too fast are
   * fetched rarely. `off`: each page is fetched once, and the crawl ends.
   * @default 'off'
   */
  recrawl?: 'off' | 'changes' | 'freshness';
  /**
   * Fetches each page again after this time, instead of as often as it changes. At least one minute.
   */
  recrawlEveryMs?: number;
  /**
   * Fetches all pages again at these times, instead of as often as they change: a cron expression, such as
   * `0 6 * * 1-5`, `@daily` or EventBridge's `cron(0 6 ? * MON-FRI *)`.
   */
  recrawlSchedule?: string;
  /**
   * The time zone of `recrawlSchedule`, such as `Europe/Berlin`. UTC by default.
   */
  recrawlTimeZone?: string;
  /**
   * Pages count this number of times as important as they are (by links, seeds and sitemaps), 0.001 to 1000. Meant for
   * `overrides`: four times the importance is about twice the fetches.
   * @default 1
   */
  importance?: number;
  /**
   * Fetches of known pages per day, for all hosts together. By default a fifth of the pages known. The hosts'
   * pauses (`delayMs`) hold as always.
   */
  recrawlPerDay?: number;
  /**
   * Reports each page that is new, changed, gone, moved or back, to the project's webhook, and on a stack on its event
   * bus. In a crawl that recrawls. Off by default.
   */
  changeFeed?: boolean;

  /**
   * When the crawl has ended, a document of each page: `documents.jsonl` and `documents.parquet` in the crawl's folder,
   * brought up to date; on a stack an export of the format `documents`. `resume` can change it. Off by default.
   */
  documents?: boolean;

  /** Ends the crawl after this many pages: responses other than redirects, robots.txt and sitemaps. */
  maxPages?: number;
  /** Ends the crawl after this many bytes of bodies, as received. */
  maxBytes?: number;
  /** Ends the crawl after this time. */
  maxTimeMs?: number;
  /** Pauses the crawl before it has cost more, in US dollars at list price. Only on AWS. */
  maxCost?: number;
  /** Fetches at most this many pages of each host. */
  maxPagesPerHost?: number;
  /**
   * Fetches at most this many pages of each URL template of a host: of URLs that differ only in numbers, ids and the values
   * of their query's parameters, such as `/item/1` and `/item/2`. Seeds, where they redirect to, and requests of the project are
   * fetched anyway, and do not count.
   */
  maxPagesPerTemplate?: number;
  /**
   * Requests at most this many pages of each registrable domain in a period (`domainBudgetEveryMs`), over all hosts
   * of the domain. Redirects and failures count; robots.txt, page requisites and pages that are fetched again do not.
   * URLs over the budget wait for the next period. `links`: a domain to which more domains link than to most has up to
   * ten times as much as the others, which have 1,000, or N by `links:N`. `off`: no such limit. By default 1,000 with
   * scope `any`, otherwise `off`.
   */
  domainBudget?: number | 'off' | 'links' | `links:${number}`;
  /**
   * Different budgets of some registrable domains, by name: `{ 'example.org': 5000 }`. They apply in each scope. At
   * most 5,000.
   * @default {}
   */
  domainBudgets?: Record<string, number>;
  /**
   * The period of `domainBudget`. From a second to 30 days.
   * @default 86400000
   */
  domainBudgetEveryMs?: number;
  /**
   * Visits at most this many hosts of each registrable domain, 10,000 at most. Links to further hosts are skipped
   * (`hostsPerDomain`), but seeds are not. `off`: no such limit. By default 1,000 with scope `any`, otherwise `off`.
   */
  maxHostsPerDomain?: number | 'off';

  /**
   * The least pause between two requests to a host, from the end of a response. A longer `Crawl-delay`
   * applies instead.
   * @default 1000
   */
  delayMs?: number;
  /**
   * The least pause between two requests to an IP address, from the end of a response, over all hosts at it. Only
   * one host at an address is requested at a time then. At most 60,000; 0: hosts that share an address have only their own
   * pauses.
   * @default 0
   */
  ipDelayMs?: number;
  /**
   * Addresses without this pause, as CIDR blocks (`104.16.0.0/13`): those of CDNs, behind which are many servers. At most
   * 2,000.
   * @default []
   */
  ipDelayExcept?: string[];
  /**
   * Pauses longer for hosts that answer slowly.
   * @default true
   */
  adaptive?: boolean;
  /**
   * The adaptive pause: this many times the duration of the last response.
   * @default 5
   */
  adaptiveFactor?: number;
  /**
   * The longest adaptive pause.
   * @default 30000
   */
  maxAdaptiveDelayMs?: number;
  /**
   * A longer `Crawl-delay` of robots.txt is shortened to this.
   * @default 60000
   */
  maxCrawlDelayMs?: number;
  /**
   * Bytes a second that a host sends at most, on average: after each body the host rests until it would have come at this
   * rate. robots.txt and sitemaps count. At least 100.
   */
  maxBytesPerSecondPerHost?: number;
  /**
   * The limit for all hosts together, over all workers: a request begins when the rate has room for its bytes. At least
   * 100.
   */
  maxBytesPerSecond?: number;
  /**
   * Requests to one host at the same time. Use more than 1 only for a site of your own.
   * @default 1
   */
  perHost?: number;
  /**
   * Whether robots.txt is obeyed. Ignore it only on a site of your own.
   * @default 'obey'
   */
  robots?: 'obey' | 'ignore';
  /**
   * robots.txt is requested again after this time at the latest. RFC 9309 allows 24 hours.
   * @default 86400000
   */
  robotsMaxAgeMs?: number;
  /**
   * A longer `Retry-After` is shortened to this.
   * @default 3600000
   */
  maxRetryAfterMs?: number;
  /**
   * A host's first rest after a failure. It doubles with each further failure.
   * @default 5000
   */
  backoffMs?: number;
  /**
   * A host's longest rest after failures.
   * @default 600000
   */
  maxBackoffMs?: number;
  /**
   * The pause before a URL that failed (status 500, for example) is tried again. It doubles with each try.
   * @default 1000
   */
  retryMs?: number;
  /**
   * Tries of a URL before it counts as failed.
   * @default 3
   */
  maxAttempts?: number;
  /**
   * Failures in a row after which a host is given up.
   * @default 5
   */
  maxHostFailures?: number;
  /**
   * Continues if no host of the crawl has answered yet. By default, the crawl ends after the second try of
   * each host.
   * @default false
   */
  keepTrying?: boolean;

  /**
   * The product token that robots.txt names. Requests say `User-Agent: TOKEN (+CONTACT)`.
   * @default 'Strand/0.1'
   */
  userAgent?: string;
  /**
   * URL or mail address where the crawl's operator can be reached. Needed unless all seeds are on this
   * machine.
   */
  contact?: string;
  /** Mail address of a person who is responsible for the crawl, sent to every host as the header `From`. */
  from?: string;
  /** Signs every request, so that sites can verify who makes it. Only on one machine: a stack has an identity of its own. */
  identity?: IdentityOptions;
  /**
   * Headers by host pattern, then by name: `{ 'example.org': { Authorization: 'Bearer ...' } }`. The pattern
   * `seeds` means the origins of the seeds. Never sent to other hosts, and not archived.
   * @default {}
   */
  headers?: Record<string, Record<string, string>>;
  /**
   * Cookies, each for its domain. Cookies that hosts set are ignored.
   * @default []
   */
  cookies?: CookieOptions[];
  /**
   * `user:password` by host pattern, for HTTP Basic authentication.
   * @default {}
   */
  auth?: Record<string, string>;

  /**
   * CIDR blocks of private and special addresses that may be connected to, such as `127.0.0.0/8`.
   * @default []
   */
  allowPrivateAddresses?: string[];
  /**
   * Ports that may be requested although browsers refuse them, such as 6000.
   * @default []
   */
  allowPorts?: number[];
  /**
   * Accepts certificates that are expired, self-signed, of another host or of an unknown issuer. Equivalent to `tls:
   * 'any'`.
   * @default false
   */
  allowInvalidCertificates?: boolean;
  /**
   * Certificates: `verify` refuses bad ones; `record` accepts the bad one of a host, sends no headers, cookies
   * or passwords there, and notes it in its `metadata` records; `any` accepts all.
   * @default 'verify'
   */
  tls?: 'verify' | 'record' | 'any';
  /**
   * Certificates (PEM) of authorities that are trusted besides the usual ones.
   * @default []
   */
  certificateAuthorities?: string[];
  /**
   * Certificates shown to hosts that request one. Only on one machine.
   * @default []
   */
  clientCertificates?: ClientCertificateOptions[];
  /**
   * Proxies. Rules with `hosts` count before those without. If several remain, each host gets one of them,
   * always the same.
   * @default []
   */
  proxies?: ProxyOptions[];
  /**
   * Addresses for host names; `*` matches one or more labels: `[['*.test', '127.0.0.1']]`.
   * @default []
   */
  resolve?: [string, string][];
  /**
   * Hosts (with `:port` where it is not the scheme's default) whose pages are the files of a folder:
   * `[['docs.example.org', './public']]`. They are answered as by a server of static files, without pauses and without
   * the network. Only on one machine.
   * @default []
   */
  fromFolder?: [string, string][];
  /**
   * How long a connection, its TLS handshake included, may take.
   * @default 10000
   */
  connectTimeoutMs?: number;
  /**
   * How long a response's head may take after the request.
   * @default 30000
   */
  headersTimeoutMs?: number;
  /**
   * How long a pause between two pieces of a body may be.
   * @default 20000
   */
  idleTimeoutMs?: number;
  /**
   * How long a whole exchange may take.
   * @default 120000
   */
  totalTimeoutMs?: number;
  /**
   * Larger bodies are cut, and marked as cut.
   * @default 16777216
   */
  maxBodyBytes?: number;
  /**
   * The largest head of a response, interim responses included.
   * @default 262144
   */
  maxHeaderBytes?: number;
  /**
   * How much of a page is parsed after decompression.
   * @default 33554432
   */
  maxDecodedBytes?: number;

  /**
   * Settings for some hosts.
   * @default []
   */
  overrides?: OverrideOptions[];

  /**
   * Stores no payload twice: a `revisit` record refers to the first one.
   * @default true
   */
  revisits?: boolean;
  /**
   * Writes a `metadata` record for each page: title, number of links, where it was found, how long it took.
   * @default true
   */
  metadata?: boolean;
  /**
   * How many links of a page its `metadata` record lists.
   * @default 0
   */
  metadataLinks?: number;

  /**
   * A page that blocks its thread for longer fails, and is not fetched again. On AWS, five times as long.
   * @default 4000
   */
  blockTimeoutMs?: number;
  /**
   * How long a hook may take for one page.
   * @default 10000
   */
  hookTimeoutMs?: number;

  /**
   * Hosts that one worker crawls at the same time. Only on one machine.
   * @default 250
   */
  hosts?: number;
  /**
   * Pages after which a visit to a host ends and is committed.
   * @default 400
   */
  turnMaxPages?: number;
  /**
   * Time after which a visit to a host ends and is committed. On a stack 120,000 by default.
   * @default 60000
   */
  turnMaxMs?: number;
  /**
   * A visit waits for its host's next allowed request at most this long; otherwise it ends.
   * @default 10000
   */
  turnMaxWaitMs?: number;
  /**
   * WARC files are closed at this size.
   * @default 1000000000
   */
  warcMaxBytes?: number;
}

/** Settings that have no default, and may be missing in a complete configuration. */
export type WithoutDefault =
  | 'purpose'
  | 'languages'
  | 'maxDepth'
  | 'modifiedSince'
  | 'recrawlEveryMs'
  | 'recrawlSchedule'
  | 'recrawlTimeZone'
  | 'recrawlPerDay'
  | 'changeFeed'
  | 'documents'
  | 'maxPages'
  | 'maxBytes'
  | 'maxTimeMs'
  | 'maxCost'
  | 'maxPagesPerHost'
  | 'maxPagesPerTemplate'
  | 'domainBudget'
  | 'maxHostsPerDomain'
  | 'maxBytesPerSecondPerHost'
  | 'maxBytesPerSecond'
  | 'contact'
  | 'from'
  | 'identity';

/** A crawl's configuration, complete: every default filled in. */
export type CrawlConfig = Readonly<
  Required<Omit<CrawlOptions, WithoutDefault | 'urlRules'>> &
    Pick<CrawlOptions, WithoutDefault> & { urlRules: Required<UrlRuleOptions> }
>;
export type HostOverride = OverrideOptions;
